#include "data_index.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iostream>
#include <mortise/error.hpp>
#include <utility>

#include "../../data/corpus/batch_reader.hpp"
#include "../../data/corpus/pipeline.hpp"
#include "../../data/encoding/json_text.hpp"
#include "../../data/pbin/partial_file.hpp"
#include "interrupt.hpp"
#include "plural.hpp"

namespace mortise::data_tools {

namespace {

constexpr std::int64_t kBytesUnderWay = 32 << 20;

void refuse_compressed(const std::string& path) {
  corpus::RawInput file(path, {});
  if (corpus::is_compressed(file.next_block()))
    throw DataError(path +
                    " is compressed: an index has places in the text, which it cannot be read at; "
                    "unpack it first");
}

}  // namespace

DataIndex::DataIndex(const Config& config) : config_(config), in_(config.input) {
  out_ = config.out ? std::string(*config.out)
                    : std::filesystem::path(in_).replace_extension(".idx").string();
  if (out_ == in_) throw ConfigError("out: " + out_ + " is the input");
  if (!config_.overwrite && ::access(out_.c_str(), F_OK) == 0)
    throw ConfigError(out_ + " is there already: give another name or --overwrite");
}

std::int64_t DataIndex::run() {
  const Interrupt interrupt;
  refuse_compressed(in_);
  work_.total_bytes = corpus::state_of(in_).bytes;
  progress_ = std::make_unique<Progress>(
      "indexing", config_.json ? Progress::Form::json : Progress::Form::line);
  pbin::PartialFile file(out_, pbin::PartialFile::Busy::fail);
  pbin::IndexWriter writer([&](std::string_view bytes) { file.append(bytes); });
  if (!index([&](const pbin::IndexEntry& entry) { writer.add(entry); })) return interrupt.tell();
  if (work_.documents == 0) throw DataError("no records in " + in_);
  writer.end();
  file.sync();
  file.rename_to_final();
  tell();
  return 0;
}

bool DataIndex::index(const std::function<void(const pbin::IndexEntry&)>& take) {
  std::atomic<bool> cancelled = false;
  corpus::BatchReader reader({in_}, corpus::TextFormat::jsonl, [&] { return cancelled.load(); });
  corpus::Stages<corpus::TextBatch, corpus::LineIndex> stages;
  stages.read = [&] { return reader.next(); };
  stages.make_worker = [] {
    return [](const corpus::TextBatch& batch) { return corpus::line_index(batch); };
  };
  stages.bytes_of = [](const corpus::TextBatch& batch) {
    return std::int64_t(batch.buffer.size());
  };
  stages.write = [&](const corpus::LineIndex& part) {
    for (const pbin::IndexEntry& entry : part.records) take(entry);
    count(part);
  };
  stages.stop = [] { return Interrupt::signal() != 0; };
  stages.cancel = [&] { cancelled = true; };
  const int workers = config_.workers == 0 ? corpus::available_cores() : int(config_.workers);
  return corpus::Pipeline(std::move(stages), workers, kBytesUnderWay).run();
}

void DataIndex::count(const corpus::LineIndex& part) {
  work_.done_bytes = part.raw_bytes;
  work_.text_bytes = part.end_offset;
  work_.documents += std::int64_t(part.records.size());
  blank_lines_ += part.blank_lines;
  for (const pbin::IndexEntry& entry : part.records) longest_ = std::max(longest_, entry.length);
  progress_->show(work_);
}

void DataIndex::tell() const {
  if (config_.json) {
    std::cout << "{\"type\": \"result\", " << progress_json(work_, progress_->seconds())
              << ", \"blank_lines\": " << blank_lines_ << ", \"longest_record\": " << longest_
              << ", \"file\": " << encoding::json_string(out_) << "}" << std::endl;
    return;
  }
  std::cout << plural(work_.documents, "record") << ", the longest of "
            << plural(std::int64_t(longest_), "byte") << ", in " << out_;
  if (blank_lines_ > 0) std::cout << "; " << plural(blank_lines_, "blank line") << " skipped";
  std::cout << std::endl;
}

}  // namespace mortise::data_tools
