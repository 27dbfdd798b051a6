#include "megatron_index.hpp"

#include <mortise/error.hpp>

#include "bytes.hpp"

namespace mortise::token_files {

namespace {

constexpr std::string_view kMagic{"MMIDIDX\0\0", 9};
constexpr std::uint64_t kHeaderBytes = 9 + 8 + 1 + 8 + 8;

struct Type {
  std::uint8_t code;
  Element element;
};
constexpr Type kTypes[] = {{1, Element::u8},  {2, Element::i8},  {3, Element::i16},
                           {4, Element::i32}, {5, Element::i64}, {8, Element::u16}};

}  // namespace

void MegatronIndex::refuse(const std::string& why) const {
  throw DataError(path_ + " is no index of a Megatron token file: " + why);
}

MegatronIndex::MegatronIndex(std::string_view idx, const std::string& idx_path,
                             std::uint64_t bin_bytes)
    : idx_(idx), path_(idx_path), bin_bytes_(bin_bytes) {
  if (!idx.starts_with(kMagic)) refuse("it does not begin with MMIDIDX");
  if (idx.size() < kHeaderBytes)
    refuse("it has " + std::to_string(idx.size()) + " bytes, its header needs 34");
  if (const auto version = number_at<std::uint64_t>(idx, 9); version != 1)
    refuse("it has version " + std::to_string(version) + ", expected 1");
  const auto code = number_at<std::uint8_t>(idx, 17);
  const Type* type = nullptr;
  for (const Type& known : kTypes)
    if (known.code == code) type = &known;
  if (type == nullptr)
    refuse("its numbers are of type " + std::to_string(code) +
           ", expected whole numbers: 1 to 5 or 8");
  element_ = type->element;
  sequences_ = number_at<std::uint64_t>(idx, 18);
  const auto ends = number_at<std::uint64_t>(idx, 26);
  const std::uint64_t rest = idx.size() - kHeaderBytes;
  if (ends == 0 || sequences_ > rest / 12 || ends > (rest - 12 * sequences_) / 8)
    refuse("its header says " + std::to_string(sequences_) + " sequences and " +
           std::to_string(ends) + " ends of documents, the file has " + std::to_string(rest) +
           " bytes for them");
  documents_ = ends - 1;
  if (bin_bytes % bytes_of(element_) != 0)
    refuse("the .bin file has " + std::to_string(bin_bytes) + " bytes, no multiple of the " +
           std::to_string(bytes_of(element_)) + " bytes of a token");
  const std::uint64_t needed = 12 * sequences_ + 8 * ends;
  if (rest != needed && rest != needed + sequences_)
    refuse("its header says " + std::to_string(sequences_) + " sequences and " +
           std::to_string(ends) + " ends of documents, so expected " +
           std::to_string(kHeaderBytes + needed) + " bytes, got " + std::to_string(idx.size()));
  const std::uint64_t last =
      sequences_ == 0 ? 0
                      : offset_of(sequences_ - 1) + size_of(sequences_ - 1) * bytes_of(element_);
  if (last != bin_bytes_)
    refuse("its last sequence ends at byte " + std::to_string(last) + ", the .bin file has " +
           std::to_string(bin_bytes_) + " bytes");
}

std::uint64_t MegatronIndex::size_of(std::uint64_t sequence) const {
  const auto size = number_at<std::int32_t>(idx_, kHeaderBytes + 4 * sequence);
  if (size < 0)
    refuse("sequence " + std::to_string(sequence) + " has " + std::to_string(size) + " tokens");
  return std::uint64_t(size);
}

std::uint64_t MegatronIndex::offset_of(std::uint64_t sequence) const {
  return number_at<std::uint64_t>(idx_, kHeaderBytes + 4 * sequences_ + 8 * sequence);
}

Layout MegatronIndex::layout() const {
  return {Format::megatron, element_, 0, std::int64_t(bin_bytes_ / bytes_of(element_))};
}

TokenSpan MegatronIndex::span_of(std::uint64_t first, std::uint64_t end) const {
  const std::uint64_t width = bytes_of(element_);
  const std::uint64_t begin = offset_of(first);
  std::uint64_t tokens = 0;
  for (std::uint64_t s = first; s != end; ++s) {
    const std::uint64_t offset = offset_of(s), size = size_of(s);
    if (offset % width != 0 || offset > bin_bytes_ || size > (bin_bytes_ - offset) / width)
      refuse("sequence " + std::to_string(s) + " of " + std::to_string(size) + " tokens at byte " +
             std::to_string(offset) + " does not fit into " + std::to_string(bin_bytes_) +
             " bytes of tokens");
    if (offset != begin + tokens * width)
      refuse("sequence " + std::to_string(s) + " begins at byte " + std::to_string(offset) +
             ", expected " + std::to_string(begin + tokens * width) +
             ", where the one before it ends");
    tokens += size;
  }
  return {std::int64_t(begin / width), std::int64_t(tokens)};
}

// Ends stand after the start of the first document, which is 0.
std::uint64_t MegatronIndex::end_of(std::uint64_t document) const {
  return number_at<std::uint64_t>(idx_, kHeaderBytes + 12 * sequences_ + 8 * (document + 1));
}

bool MegatronIndex::has_split_documents() const {
  std::uint64_t first = 0;
  for (std::uint64_t d = 0; d != documents_; first = end_of(d++))
    if (end_of(d) > first + 1) return true;
  return false;
}

void MegatronIndex::documents(const EachDocument& each) const {
  std::uint64_t first = end_of(std::uint64_t(-1));
  if (first != 0) refuse("its first document begins at sequence " + std::to_string(first));
  std::int64_t behind = 0;  // where the document before ends, in tokens
  for (std::uint64_t d = 0; d != documents_; ++d) {
    const std::uint64_t end = end_of(d);
    if (end < first || end > sequences_)
      refuse("document " + std::to_string(d) + " ends at sequence " + std::to_string(end) +
             ", expected " + std::to_string(first) + " to " + std::to_string(sequences_));
    const TokenSpan span = first == end ? TokenSpan{behind, 0} : span_of(first, end);
    if (span.first < behind) refuse("document " + std::to_string(d) + " overlaps the one before");
    behind = span.first + span.size;
    first = end;
    each(span);
  }
}

std::string megatron_header(Element element, std::uint64_t sequences, std::uint64_t ends) {
  std::uint8_t code = 0;
  for (const Type& known : kTypes)
    if (known.element == element) code = known.code;
  return std::string(kMagic) + bytes_of_number(std::uint64_t(1)) + bytes_of_number(code) +
         bytes_of_number(sequences) + bytes_of_number(ends);
}

}  // namespace mortise::token_files
