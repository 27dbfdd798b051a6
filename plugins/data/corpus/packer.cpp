#include "packer.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include "input_files.hpp"
#include "pipeline.hpp"

namespace mortise::corpus {

namespace {

// Bound of the texts that are read and not yet written.
constexpr std::int64_t kBytesUnderWay = 32 << 20;

std::optional<std::uint32_t> special_token(const Tokenizer& tokenizer, std::string_view name) {
  for (const SpecialToken& token : tokenizer.special_tokens())
    if (token.name == name) return static_cast<std::uint32_t>(token.id);
  return std::nullopt;
}

}  // namespace

Packer::Packer(const Tokenizer& tokenizer, PackOptions options, pbin::PbinWriter& writer,
               PackHooks hooks)
    : tokenizer_(tokenizer),
      options_(std::move(options)),
      writer_(writer),
      hooks_(std::move(hooks)) {
  if (options_.end == EndOfDocument::when_known)
    edges_.end = special_token(tokenizer, "end_of_document");
  if (options_.begin) {
    edges_.begin = special_token(tokenizer, "begin_of_document");
    if (!edges_.begin)
      throw ConfigError("bod: the tokenizer has no begin_of_document: leave the option out");
  }
  if (options_.workers == 0) options_.workers = available_cores();
}

void Packer::resume(PackState state) { state_ = std::move(state); }

bool Packer::pack(const std::vector<std::string>& files) {
  for (std::size_t i = state_.sources.size(); i < files.size(); ++i)
    state_.sources.push_back({files[i], 0, 0, 0});
  next_block_ = state_.progress.text_bytes + options_.block_bytes;
  std::atomic<bool> cancelled = false;
  BatchReader reader(files, options_.format, [&] { return cancelled.load(); });
  reader.skip_to(state_.next);
  Stages<TextBatch, PackedBatch> stages;
  stages.read = [&] { return reader.next(); };
  stages.make_worker = [&]() -> std::function<PackedBatch(TextBatch)> {
    auto encoder = std::make_shared<BatchEncoder>(tokenizer_, options_.field, options_.on_error,
                                                  edges_, writer_.width());
    return
        [encoder, &files](TextBatch batch) { return encoder->encode(batch, files[batch.source]); };
  };
  stages.bytes_of = [](const TextBatch& batch) { return std::int64_t(batch.buffer.size()); };
  stages.write = [&](PackedBatch batch) { write(std::move(batch)); };
  stages.stop = [&] { return hooks_.stop && hooks_.stop(); };
  stages.cancel = [&] { cancelled = true; };
  return Pipeline(std::move(stages), options_.workers, kBytesUnderWay).run();
}

void Packer::write(PackedBatch batch) {
  writer_.add_documents(batch.tokens, batch.lengths, batch.largest);
  count(batch);
  for (const RecordFault& fault : batch.faults)
    if (hooks_.report) hooks_.report(report_line(state_.sources[batch.source].file, fault));
  if (hooks_.progress) hooks_.progress(state_.progress);
  if (state_.progress.text_bytes < next_block_) return;
  next_block_ = state_.progress.text_bytes + options_.block_bytes;
  if (hooks_.block) hooks_.block(state_);
}

void Packer::count(const PackedBatch& batch) {
  pbin::SideFile::Source& source = state_.sources[batch.source];
  source.documents += std::int64_t(batch.lengths.size());
  source.tokens += std::int64_t(batch.tokens.size() / writer_.width());
  source.bytes = batch.raw_bytes - state_.raw_bytes_before;
  if (batch.ends_source) {
    state_.raw_bytes_before = batch.raw_bytes;
    state_.next = {batch.source + 1, 0, 1};
  } else {
    state_.next = {batch.source, batch.end_offset, batch.next_line};
  }
  PackProgress& progress = state_.progress;
  progress.raw_bytes = batch.raw_bytes;
  progress.text_bytes += batch.text_bytes;
  progress.blank_lines += batch.blank_lines;
  for (const RecordFault& fault : batch.faults)
    ++(fault.replaced ? progress.replaced : progress.skipped);
}

pbin::SideFile Packer::side_file() const {
  if (writer_.documents() == 0) {
    std::vector<std::string> files;
    for (const pbin::SideFile::Source& source : state_.sources) files.push_back(source.file);
    throw DataError("no documents in " + short_list(files));
  }
  pbin::SideFile side;
  side.tokenizer_fingerprint = tokenizer_.fingerprint();
  side.vocabulary_size = tokenizer_.vocabulary_size();
  if (edges_.end) side.end_of_document = *edges_.end;
  side.sources = state_.sources;
  return side;
}

}  // namespace mortise::corpus
