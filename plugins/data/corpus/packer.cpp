#include "packer.hpp"

#include <algorithm>
#include <utility>

#include "documents.hpp"

namespace mortise::corpus {

namespace {

// Texts are given to the tokenizer in batches of about this size.
constexpr std::size_t kBatchBytes = 1 << 20;

}  // namespace

std::optional<std::uint32_t> end_of_document(const Tokenizer& tokenizer) {
  for (const SpecialToken& token : tokenizer.special_tokens())
    if (token.name == "end_of_document") return static_cast<std::uint32_t>(token.id);
  return std::nullopt;
}

Packer::Packer(const Tokenizer& tokenizer, std::string_view field, EndOfDocument end,
               pbin::PbinWriter& writer, Progress progress)
    : tokenizer_(tokenizer),
      field_(field),
      vocabulary_size_(tokenizer.vocabulary_size()),
      writer_(writer),
      progress_(std::move(progress)) {
  if (end == EndOfDocument::when_known) end_ = end_of_document(tokenizer);
}

void Packer::add(const pbin::MappedFile& file) {
  const std::int64_t tokens = writer_.tokens();
  const DocumentCount count =
      for_each_document(file, field_, [&](std::string_view text) { take(text); });
  encode_pending();
  blank_lines_ += count.blank_lines;
  sources_.push_back({file.path(), static_cast<std::int64_t>(file.bytes().size()), count.documents,
                      writer_.tokens() - tokens});
}

void Packer::take(std::string_view text) {
  if (text.size() >= kBatchBytes) {  // without a copy
    encode_pending();
    encode({text});
    return;
  }
  pending_ += text;
  breaks_.push_back(pending_.size());
  if (pending_.size() >= kBatchBytes || breaks_.size() >= kBatchBytes / 64) encode_pending();
}

void Packer::encode_pending() {
  std::vector<std::string_view> texts;
  std::size_t begin = 0;
  for (const std::size_t end : breaks_) {
    texts.push_back(std::string_view(pending_).substr(begin, end - begin));
    begin = end;
  }
  if (!texts.empty()) encode(texts);
  pending_.clear();
  breaks_.clear();
}

void Packer::encode(const std::vector<std::string_view>& texts) {
  const EncodedBatch batch = tokenizer_.encode_batch(texts);
  if (batch.ends.size() != texts.size())
    throw Error(ErrorCode::failed, "the tokenizer encoded " + std::to_string(batch.ends.size()) +
                                       " of " + std::to_string(texts.size()) + " texts");
  std::size_t begin = 0;
  for (std::size_t i = 0; i != texts.size(); ++i) {
    const auto end = static_cast<std::size_t>(batch.ends[i]);
    write_document(std::span(batch.ids).subspan(begin, end - begin));
    begin = end;
    bytes_ += static_cast<std::int64_t>(texts[i].size());
  }
  if (progress_) progress_(bytes_);
}

void Packer::write_document(std::span<const std::uint32_t> ids) {
  const auto stray =
      std::find_if(ids.begin(), ids.end(), [&](std::int64_t id) { return id >= vocabulary_size_; });
  if (stray != ids.end())
    throw Error(ErrorCode::failed, "the tokenizer gave id " + std::to_string(*stray) +
                                       ", its vocabulary ends before " +
                                       std::to_string(vocabulary_size_));
  const bool has_end = end_ && !ids.empty() && ids.back() == *end_;
  writer_.add(ids);
  if (end_ && !has_end) writer_.add(std::span(&*end_, 1));
  writer_.end_document();
}

pbin::SideFile Packer::side_file() const {
  if (writer_.documents() == 0)
    throw DataError(
        "no documents in " + sources_.front().file +
        (sources_.size() == 1 ? "" : " and " + std::to_string(sources_.size() - 1) + " more"));
  pbin::SideFile side;
  side.tokenizer_fingerprint = tokenizer_.fingerprint();
  side.vocabulary_size = vocabulary_size_;
  if (end_) side.end_of_document = *end_;
  side.sources = sources_;
  return side;
}

}  // namespace mortise::corpus
