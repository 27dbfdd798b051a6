#include "batch_reader.hpp"

#include <algorithm>
#include <cstring>
#include <mortise/error.hpp>
#include <utility>

namespace mortise::corpus {

namespace {

// Large enough that handing a batch from thread to thread costs nothing, small enough that some of
// them fit into a cache.
constexpr std::size_t kBatchBytes = 1 << 20;
// simdjson counts bytes in 32 bits.
constexpr std::size_t kLongestDocument = 0xFFFFFFFF;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Bytes up to the last end of a line in [from, size), 0 when there is none.
std::size_t end_of_last_line(const TextBuffer& buffer, std::size_t from) {
  const std::string_view text = buffer.text();
  const void* const found = ::memrchr(text.data() + from, '\n', text.size() - from);
  if (found == nullptr) return 0;
  return std::size_t(static_cast<const char*>(found) - text.data()) + 1;
}

std::int64_t ends_of_lines(std::string_view text) {
  std::int64_t lines = 0;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    ++lines;
  return lines;
}

}  // namespace

BatchReader::BatchReader(std::vector<std::string> files, TextFormat format, StopRequested stop)
    : files_(std::move(files)), format_(format), stop_(std::move(stop)) {}

void BatchReader::open() {
  refuse_other_types(files_[source_]);
  open_ = std::make_unique<ByteSource>(files_[source_], stop_);
  offset_ = 0;
  line_ = 1;
}

void BatchReader::close() {
  raw_before_ += open_->raw_bytes();
  open_.reset();
  ++source_;
}

void BatchReader::skip_to(const ReadPosition& position) {
  for (; source_ != position.source; ++source_) raw_before_ += state_of(files_[source_]).bytes;
  if (position.offset == 0) return;
  open();
  std::vector<char> skipped(kBatchBytes);
  while (offset_ != position.offset) {
    const auto want = std::min<std::int64_t>(kBatchBytes, position.offset - offset_);
    const std::size_t n = open_->read(skipped.data(), std::size_t(want));
    if (n == 0) throw DataError(files_[source_] + " is shorter than it was before");
    offset_ += std::int64_t(n);
  }
  line_ = position.line;
}

std::optional<TextBatch> BatchReader::next() {
  if (source_ == files_.size()) return std::nullopt;
  if (!open_) open();
  return is_jsonl(files_[source_], format_) ? lines() : whole();
}

// Reads until the buffer holds `target` bytes; fewer at the end of the file.
std::size_t BatchReader::fill(TextBuffer& buffer, std::size_t target) {
  buffer.reserve(target);
  const std::size_t before = buffer.size();
  while (buffer.size() < target) {
    const std::size_t n = open_->read(buffer.data() + buffer.size(), target - buffer.size());
    if (n == 0) break;
    buffer.set_size(buffer.size() + n);
  }
  return buffer.size() - before;
}

TextBatch BatchReader::lines() {
  TextBuffer buffer;
  buffer.reserve(std::max(kBatchBytes, carry_.size()));
  carry_.copy(buffer.data(), carry_.size());
  buffer.set_size(carry_.size());
  carry_.clear();
  std::size_t searched = buffer.size();
  for (std::size_t target = kBatchBytes;; target *= 2) {
    while (target <= buffer.size()) target *= 2;
    fill(buffer, target);
    if (buffer.size() < target) return batch_of(std::move(buffer), true);
    if (const std::size_t end = end_of_last_line(buffer, searched)) {
      carry_ = buffer.text().substr(end);
      buffer.set_size(end);
      return batch_of(std::move(buffer), false);
    }
    searched = buffer.size();
    if (buffer.size() > kLongestDocument)
      throw DataError(files_[source_] + ":" + std::to_string(line_) +
                      ": a line of more than 4 GiB is not supported");
  }
}

TextBatch BatchReader::whole() {
  TextBuffer buffer;
  for (std::size_t target = kBatchBytes; fill(buffer, target) != 0 && buffer.size() == target;
       target *= 2)
    if (buffer.size() > kLongestDocument)
      throw DataError(files_[source_] + ": a document of more than 4 GiB is not supported");
  return batch_of(std::move(buffer), true);
}

TextBatch BatchReader::batch_of(TextBuffer buffer, bool ends) {
  TextBatch batch;
  batch.source = source_;
  batch.is_jsonl = is_jsonl(files_[source_], format_);
  batch.first_line = line_;
  const std::string_view text = buffer.text();
  if (batch.is_jsonl && offset_ == 0 && text.starts_with(kByteOrderMark))
    std::fill_n(buffer.data(), kByteOrderMark.size(), ' ');
  offset_ += std::int64_t(text.size());
  if (batch.is_jsonl) line_ += ends_of_lines(text);
  batch.buffer = std::move(buffer);
  batch.end_offset = offset_;
  batch.next_line = line_;
  batch.ends_source = ends;
  batch.raw_bytes = raw_before_ + open_->raw_bytes();
  if (ends) close();
  return batch;
}

}  // namespace mortise::corpus
