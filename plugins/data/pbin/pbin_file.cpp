#include "pbin_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mortise/error.hpp>

#include "pickle_index.hpp"

static_assert(std::endian::native == std::endian::little, "tokens are read in place");

namespace mortise::pbin {

PbinFile::PbinFile(const std::string& path) : file_(path) {
  const std::string_view bytes = file_.bytes();
  const auto refuse = [&](const std::string& why) {
    throw DataError(path + " is no complete .pbin file: " + why);
  };
  if (bytes.size() < kHeaderBytes)
    refuse("it has " + std::to_string(bytes.size()) + " bytes, its header needs 12");
  std::memcpy(&data_bytes_, bytes.data(), sizeof data_bytes_);
  std::memcpy(&width_, bytes.data() + sizeof data_bytes_, sizeof width_);
  if (data_bytes_ == 0 && width_ == 0) refuse("its header is empty, so it was never finished");
  if (width_ != 1 && width_ != 2 && width_ != 4)
    refuse("its header says " + std::to_string(width_) + " bytes per token, expected 1, 2 or 4");
  if (data_bytes_ > bytes.size() - kHeaderBytes)
    refuse("its header says " + std::to_string(data_bytes_) + " bytes of tokens, the file has " +
           std::to_string(bytes.size() - kHeaderBytes));
  if (data_bytes_ % width_ != 0)
    refuse(std::to_string(data_bytes_) + " bytes of tokens are no multiple of " +
           std::to_string(width_));
  tokens_ = static_cast<std::int64_t>(data_bytes_ / width_);
}

template <class T>
void PbinFile::copy(std::int64_t first, std::int64_t count, std::int64_t* out) const {
  const auto* tokens = reinterpret_cast<const T*>(file_.bytes().data() + kHeaderBytes) + first;
  std::copy(tokens, tokens + count, out);
}

void PbinFile::read(std::int64_t first, std::int64_t count, std::int64_t* out) const {
  if (width_ == 1)
    copy<std::uint8_t>(first, count, out);
  else if (width_ == 2)
    copy<std::uint16_t>(first, count, out);
  else
    copy<std::uint32_t>(first, count, out);
}

TokenSpan PbinFile::span_of(std::uint64_t offset, std::uint64_t length,
                            std::size_t document) const {
  if (offset > data_bytes_ || length > data_bytes_ - offset || offset % width_ != 0 ||
      length % width_ != 0)
    throw DataError(path() + ": document " + std::to_string(document) + " of its index, offset " +
                    std::to_string(offset) + " and length " + std::to_string(length) +
                    ", does not fit into " + std::to_string(data_bytes_) + " bytes of tokens");
  return {static_cast<std::int64_t>(offset / width_), static_cast<std::int64_t>(length / width_)};
}

std::vector<TokenSpan> PbinFile::documents() const {
  const auto entries = read_index(file_.bytes().substr(kHeaderBytes + data_bytes_), path());
  const bool from_file_start = !entries.empty() && entries[0].offset == kHeaderBytes;
  std::vector<TokenSpan> spans;
  spans.reserve(entries.size());
  for (const IndexEntry& e : entries) {
    // Below 12 this wraps to a huge offset, which span_of refuses.
    const TokenSpan span =
        span_of(e.offset - (from_file_start ? kHeaderBytes : 0), e.length, spans.size());
    if (!spans.empty() && span.first < spans.back().first + spans.back().size)
      throw DataError(path() + ": document " + std::to_string(spans.size()) +
                      " of its index overlaps the one before");
    spans.push_back(span);
  }
  return spans;
}

}  // namespace mortise::pbin
