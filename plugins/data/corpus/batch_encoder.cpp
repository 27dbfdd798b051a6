#include "batch_encoder.hpp"

#include <algorithm>
#include <mortise/error.hpp>
#include <utility>

namespace mortise::corpus {

namespace {

// Larger texts are given to the tokenizer alone, without a copy.
constexpr std::size_t kLargeText = 1 << 20;

template <class T>
void append_as(std::span<const std::uint32_t> ids, std::string& tokens) {
  const std::size_t before = tokens.size();
  tokens.resize(before + ids.size() * sizeof(T));
  char* to = tokens.data() + before;
  for (const std::uint32_t id : ids) {
    const T token = static_cast<T>(id);
    std::copy_n(reinterpret_cast<const char*>(&token), sizeof token, to);
    to += sizeof token;
  }
}

}  // namespace

BatchEncoder::BatchEncoder(const Tokenizer& tokenizer, const FieldExpression& field,
                           OnError on_error, DocumentEdges edges, std::uint32_t width)
    : tokenizer_(tokenizer),
      documents_(field, on_error),
      on_error_(on_error),
      vocabulary_size_(tokenizer.vocabulary_size()),
      edges_(edges),
      width_(width) {}

PackedBatch BatchEncoder::encode(const TextBatch& batch, const std::string& file) {
  packed_ = {};
  packed_.source = batch.source;
  packed_.end_offset = batch.end_offset;
  packed_.next_line = batch.next_line;
  packed_.raw_bytes = batch.raw_bytes;
  packed_.ends_source = batch.ends_source;
  file_ = &file;
  BatchDocuments::Found found = documents_.for_each(
      batch, file, [&](std::string_view text, std::int64_t line) { take(text, line); });
  encode_pending();
  packed_.blank_lines = found.blank_lines;
  std::move(found.faults.begin(), found.faults.end(), std::back_inserter(packed_.faults));
  std::stable_sort(packed_.faults.begin(), packed_.faults.end(),
                   [](const RecordFault& a, const RecordFault& b) { return a.line < b.line; });
  return std::move(packed_);
}

void BatchEncoder::take(std::string_view text, std::int64_t line) {
  if (text.size() < kLargeText) {
    pending_ += text;
    breaks_.push_back(pending_.size());
    lines_.push_back(line);
    return;
  }
  encode_pending();
  lines_.push_back(line);
  encode({text});
}

void BatchEncoder::encode_pending() {
  std::vector<std::string_view> texts;
  texts.reserve(breaks_.size());
  std::size_t begin = 0;
  for (const std::size_t end : breaks_) {
    texts.push_back(std::string_view(pending_).substr(begin, end - begin));
    begin = end;
  }
  if (!texts.empty()) encode(texts);
  pending_.clear();
  breaks_.clear();
}

void BatchEncoder::encode(const std::vector<std::string_view>& texts) {
  const EncodedBatch batch = tokenizer_.encode_batch(texts);
  if (batch.ends.size() != texts.size())
    throw Error(ErrorCode::failed, "the tokenizer encoded " + std::to_string(batch.ends.size()) +
                                       " of " + std::to_string(texts.size()) + " texts");
  packed_.tokens.reserve(packed_.tokens.size() + (batch.ids.size() + 2 * texts.size()) * width_);
  std::size_t begin = 0;
  for (std::size_t i = 0; i != texts.size(); ++i) {
    const auto end = static_cast<std::size_t>(batch.ends[i]);
    add_document(std::span(batch.ids).subspan(begin, end - begin), lines_[i]);
    begin = end;
    packed_.text_bytes += static_cast<std::int64_t>(texts[i].size());
  }
  lines_.clear();
}

void BatchEncoder::add_document(std::span<const std::uint32_t> ids, std::int64_t line) {
  const auto& [begin, end] = edges_;
  const bool add_begin = begin && (ids.empty() || ids.front() != *begin);
  const bool add_end = end && (ids.empty() || ids.back() != *end);
  if (ids.empty() && !add_begin && !add_end) return leave_out(line);
  if (add_begin) append(std::span(&*begin, 1));
  append(ids);
  if (add_end) append(std::span(&*end, 1));
  packed_.lengths.push_back(static_cast<std::int64_t>(ids.size()) + add_begin + add_end);
}

void BatchEncoder::append(std::span<const std::uint32_t> ids) {
  for (const std::uint32_t id : ids) packed_.largest = std::max<std::int64_t>(packed_.largest, id);
  if (packed_.largest >= vocabulary_size_)
    throw Error(ErrorCode::failed, "the tokenizer gave id " + std::to_string(packed_.largest) +
                                       ", its vocabulary ends before " +
                                       std::to_string(vocabulary_size_));
  if (width_ == 1)
    append_as<std::uint8_t>(ids, packed_.tokens);
  else if (width_ == 2)
    append_as<std::uint16_t>(ids, packed_.tokens);
  else
    append_as<std::uint32_t>(ids, packed_.tokens);
}

// A document without a token would be none for whoever reads the packed file.
void BatchEncoder::leave_out(std::int64_t line) {
  const std::string reason = "empty text, and neither begin nor end of a document is put";
  if (on_error_ == OnError::fail)
    throw DataError(*file_ + ":" + std::to_string(line) + ": " + reason);
  packed_.faults.push_back({line, reason, false});
}

}  // namespace mortise::corpus
