#include "pbin_layout.hpp"

#include <bit>
#include <cstring>
#include <mortise/error.hpp>

#include "pickle_index.hpp"

static_assert(std::endian::native == std::endian::little, "tokens are read in place");

namespace mortise::pbin {

using token_files::Layout;
using token_files::TokenSpan;

namespace {

// Turns entries of the index into spans of tokens and holds them against the data.
class Documents {
 public:
  Documents(const Layout& layout, const std::string& path, const token_files::EachDocument& each)
      : layout_(layout), path_(path), each_(each) {}

  void add(const IndexEntry& entry) {
    if (count_ == 0 && entry.offset == kHeaderBytes) before_ = kHeaderBytes;
    // Below 12 this wraps to a huge offset, which span_of refuses.
    const TokenSpan span = span_of(entry.offset - before_, entry.length);
    if (span.first < end_)
      throw DataError(path_ + ": document " + std::to_string(count_) +
                      " of its index overlaps the one before");
    end_ = span.first + span.size;
    ++count_;
    each_(span);
  }

 private:
  TokenSpan span_of(std::uint64_t offset, std::uint64_t length) const {
    const std::uint64_t bytes = layout_.data_bytes(), width = bytes_of(layout_.element);
    if (offset > bytes || length > bytes - offset || offset % width != 0 || length % width != 0)
      throw DataError(path_ + ": document " + std::to_string(count_) + " of its index, offset " +
                      std::to_string(offset) + " and length " + std::to_string(length) +
                      ", does not fit into " + std::to_string(bytes) + " bytes of tokens");
    return {static_cast<std::int64_t>(offset / width), static_cast<std::int64_t>(length / width)};
  }

  const Layout& layout_;
  const std::string& path_;
  const token_files::EachDocument& each_;
  std::uint64_t before_ = 0;  // what offsets count besides the data
  std::int64_t count_ = 0, end_ = 0;
};

}  // namespace

Layout pbin_layout(std::string_view file, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw DataError(path + " is no complete .pbin file: " + why);
  };
  if (file.size() < kHeaderBytes)
    refuse("it has " + std::to_string(file.size()) + " bytes, its header needs 12");
  std::uint64_t bytes = 0;
  std::uint32_t width = 0;
  std::memcpy(&bytes, file.data(), sizeof bytes);
  std::memcpy(&width, file.data() + sizeof bytes, sizeof width);
  // Writers put the length there at the end; then a pickle follows, which begins with 0x80.
  if (bytes == 0 && (width == 0 || file.size() == kHeaderBytes || file[kHeaderBytes] != '\x80'))
    refuse("its header says 0 bytes of tokens, so it was never finished");
  if (width != 1 && width != 2 && width != 4)
    refuse("its header says " + std::to_string(width) + " bytes per token, expected 1, 2 or 4");
  if (bytes > file.size() - kHeaderBytes)
    refuse("its header says " + std::to_string(bytes) + " bytes of tokens, the file has " +
           std::to_string(file.size() - kHeaderBytes));
  if (bytes % width != 0)
    refuse(std::to_string(bytes) + " bytes of tokens are no multiple of " + std::to_string(width));
  return {token_files::Format::pbin, token_files::unsigned_element(width), kHeaderBytes,
          static_cast<std::int64_t>(bytes / width)};
}

void pbin_documents(std::string_view file, const Layout& layout, const std::string& path,
                    const token_files::EachDocument& each) {
  Documents documents(layout, path, each);
  read_index(file.substr(layout.offset + layout.data_bytes()), path,
             [&](const IndexEntry& entry) { documents.add(entry); });
}

}  // namespace mortise::pbin
