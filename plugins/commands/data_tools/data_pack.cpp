#include "data_pack.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <mortise/error.hpp>
#include <utility>

#include "../../data/corpus/input_files.hpp"
#include "../../data/corpus/raw_input.hpp"
#include "../../data/encoding/json_text.hpp"
#include "../../data/windows/hold_out.hpp"
#include "plural.hpp"
#include "split.hpp"
#include "written_file.hpp"

namespace mortise::data_tools {

using pbin::PartialFile;
using pbin::PbinWriter;

namespace {

constexpr std::string_view kEnding = ".pbin";
constexpr int kGoOn = 75;  // exit code: stopped, run again to go on

std::string with_suffix(const std::string& out, std::string_view suffix) {
  return out.substr(0, out.size() - kEnding.size()) + std::string(suffix) + std::string(kEnding);
}

std::int64_t total_bytes(const std::vector<std::string>& files) {
  std::int64_t total = 0;
  for (const std::string& file : files) {
    if (file == corpus::kStandardInput) return -1;
    total += corpus::state_of(file).bytes;
  }
  return total;
}

}  // namespace

DataPack::DataPack(const Config& config) : config_(config), out_(config.out) {
  if (!out_.ends_with(kEnding) || out_.size() == kEnding.size())
    throw ConfigError("out: expected a name that ends in .pbin, got " + out_);
  refuse_to_replace(out_);
  if (config_.hold_out) {
    share_ = windows::share_of(*config_.hold_out);
    refuse_to_replace(with_suffix(out_, ".held_out"));
  }
  corpus::field_expression(config_.text_key);  // its errors come before any work
}

void DataPack::refuse_to_replace(const std::string& path) const {
  if (!config_.overwrite && ::access(path.c_str(), F_OK) == 0)
    throw ConfigError(path + " is there already: give another name or --overwrite");
}

std::int64_t DataPack::run() {
  const Interrupt interrupt;
  files_ = corpus::text_files(config_.inputs);
  for (const std::string& file : files_) corpus::refuse_other_types(file);
  work_.total_bytes = total_bytes(files_);
  progress_ = std::make_unique<Progress>(
      "packing", config_.json ? Progress::Form::json : Progress::Form::line);
  report_ = std::make_unique<FaultReport>(out_ + ".dropped.jsonl");
  const bool done = share_ ? pack_and_split() : pack_whole();
  return done ? 0 : tell_interrupted(interrupt);
}

PbinWriter DataPack::writer(const std::string& path) const {
  return {path, pbin::bytes_per_token(config_.tokenizer->vocabulary_size()),
          PartialFile::Busy::fail};
}

// Goes on where the journal says so.
PbinWriter DataPack::resumed_writer(const std::string& path) {
  const bool has_input = std::count(files_.begin(), files_.end(), corpus::kStandardInput) != 0;
  if (has_input && config_.resume)
    throw ConfigError("resume: standard input cannot be read again: give files");
  if (has_input) return writer(path);
  journal_ = std::make_unique<PackJournal>(path + ".journal", job(), files_, config_.resume);
  if (!journal_->last()) return writer(path);
  report_->resume(journal_->last()->report_bytes);
  return {path, pbin::bytes_per_token(config_.tokenizer->vocabulary_size()),
          journal_->last()->tokens};
}

PackJournal::Job DataPack::job() const {
  PackJournal::Job job = {{"tokenizer", config_.tokenizer->fingerprint()},
                          {"field", std::string(config_.text_key)},
                          {"format", std::to_string(int(config_.format))},
                          {"eod", std::to_string(int(config_.eod))},
                          {"bod", std::to_string(int(config_.bod))},
                          {"on_error", std::to_string(int(config_.on_error))}};
  for (std::size_t i = 0; i != files_.size(); ++i) {
    const corpus::FileState state = corpus::state_of(files_[i]);
    job.emplace_back(
        "input " + std::to_string(i + 1) + ", " + files_[i],
        std::to_string(state.bytes) + " bytes, changed at " + std::to_string(state.changed_ns));
  }
  return job;
}

corpus::PackOptions DataPack::options() const {
  corpus::PackOptions options;
  options.field = corpus::field_expression(config_.text_key);
  options.format = config_.format;
  options.end = config_.eod;
  options.begin = config_.bod;
  options.on_error = config_.on_error;
  options.workers = int(config_.workers);
  options.block_bytes = config_.block;
  return options;
}

// Packs all files and finishes `into`; false when it was interrupted.
bool DataPack::pack(PbinWriter& into) {
  corpus::PackHooks hooks;
  hooks.progress = [&](const corpus::PackProgress& done) { show(done, into); };
  hooks.report = [&](const std::string& line) { report_->add(line); };
  hooks.block = [&](const corpus::PackState& state) { save(state, into); };
  hooks.stop = [] { return Interrupt::signal() != 0; };
  corpus::Packer packer(*config_.tokenizer, options(), into, std::move(hooks));
  if (journal_ && journal_->last()) packer.resume(journal_->last()->pack);
  try {
    if (!packer.pack(files_)) {
      leave(into);
      return false;
    }
    side_ = packer.side_file();
    into.finish(side_);
  } catch (...) {
    if (config_.resume) leave(into);
    throw;
  }
  return true;
}

// What lies before the journal's entry is on the disk before it.
void DataPack::save(const corpus::PackState& state, PbinWriter& into) {
  if (!journal_) return;
  const std::uint64_t report_bytes = report_->save();
  journal_->add({state, into.save(), report_bytes});
}

// What is done stays for a later job, if there is a full block.
void DataPack::leave(PbinWriter& into) {
  if (!journal_ || !journal_->has_entries()) return;
  into.leave();
  report_->leave();
  journal_->leave();
  left_ = into.partial_path();
}

void DataPack::show(const corpus::PackProgress& done, const PbinWriter& into) {
  done_ = done;
  work_.done_bytes = done.raw_bytes;
  work_.text_bytes = done.text_bytes;
  work_.tokens = into.tokens();
  work_.documents = into.documents();
  progress_->show(work_);
}

bool DataPack::pack_whole() {
  PbinWriter all = resumed_writer(out_);
  if (!pack(all)) return false;
  report_->publish();
  journal_.reset();  // what it tells of is about to get another name
  all.publish();
  tell({&all});
  return true;
}

bool DataPack::pack_and_split() {
  PbinWriter all = resumed_writer(with_suffix(out_, ".all"));  // never published
  if (!pack(all)) return false;
  for (pbin::SideFile::Source& source : side_.sources) source.documents = source.tokens = -1;
  std::vector<token_files::TokenFile> packed;
  packed.emplace_back(all.partial_path());
  PbinWriter train = writer(out_), held_out = writer(with_suffix(out_, ".held_out"));
  split(packed[0], windows::cuts(packed, *share_)[0], train, held_out);
  train.finish(side_);
  held_out.finish(side_);
  report_->publish();
  journal_.reset();
  held_out.publish();
  train.publish();
  tell({&train, &held_out});
  return true;
}

void DataPack::tell(const std::vector<const PbinWriter*>& written) const {
  if (config_.json) return tell_json(written);
  std::string text;
  for (const PbinWriter* writer : written)
    text += (text.empty() ? "" : "; ") + written_text(*writer, writer->width());
  if (done_.blank_lines > 0) text += "; " + plural(done_.blank_lines, "blank line") + " skipped";
  if (done_.skipped > 0) text += "; " + plural(done_.skipped, "record") + " skipped";
  if (done_.replaced > 0) text += "; " + plural(done_.replaced, "record") + " replaced";
  if (done_.skipped + done_.replaced > 0) text += ": see " + report_->path();
  std::cout << text << std::endl;
}

void DataPack::tell_json(const std::vector<const PbinWriter*>& written) const {
  std::string files;
  for (const PbinWriter* writer : written)
    files += (files.empty() ? "" : ", ") + written_json(*writer, writer->width());
  const bool has_report = done_.skipped + done_.replaced > 0;
  std::cout << "{\"type\": \"result\", " << progress_json(work_, progress_->seconds())
            << ", \"blank_lines\": " << done_.blank_lines << ", \"skipped\": " << done_.skipped
            << ", \"replaced\": " << done_.replaced
            << ", \"report\": " << (has_report ? encoding::json_string(report_->path()) : "null")
            << ", \"files\": [" << files << "]}" << std::endl;
}

std::int64_t DataPack::tell_interrupted(const Interrupt& interrupt) const {
  if (left_.empty()) return interrupt.tell();
  std::cerr << "interrupted: what is done stays in " << left_
            << " and beside it; the same command with --resume goes on\n";
  return kGoOn;
}

}  // namespace mortise::data_tools
