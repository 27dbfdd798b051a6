#include "pbin_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <mortise/error.hpp>
#include <utility>

#include "pickle_index.hpp"

namespace mortise::pbin {

namespace {

constexpr std::uint64_t kHeaderBytes = 12;
constexpr std::size_t kReadBytes = 1 << 20;

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string header(std::uint64_t data_bytes, std::uint32_t width) {
  return std::string(bytes_of(data_bytes)) + std::string(bytes_of(width));
}

}  // namespace

std::uint32_t bytes_per_token(std::int64_t vocabulary_size) {
  if (vocabulary_size <= 1 << 8) return 1;
  return vocabulary_size <= 1 << 16 ? 2 : 4;
}

PbinWriter::PbinWriter(std::string path, std::uint32_t bytes_per_token, PartialFile::Busy busy)
    : path_(std::move(path)),
      file_(path_, busy),
      ends_(path_ + ".ends", busy),
      width_(bytes_per_token) {
  file_.append(header(0, 0));  // all zeros: not finished
}

PbinWriter::PbinWriter(std::string path, std::uint32_t bytes_per_token, const PbinState& state)
    : path_(std::move(path)),
      file_(path_, PartialFile::Busy::fail, PartialFile::Content::keep),
      ends_(path_ + ".ends", PartialFile::Busy::fail, PartialFile::Content::keep),
      width_(bytes_per_token),
      tokens_(state.tokens),
      documents_(state.documents),
      largest_(state.largest) {
  const std::uint64_t bytes = kHeaderBytes + std::uint64_t(tokens_) * width_;
  const std::uint64_t ends = std::uint64_t(documents_) * sizeof(std::uint64_t);
  if (file_.size() >= bytes && ends_.size() >= ends) {
    file_.cut(bytes);
    ends_.cut(ends);
    read_tokens_again();
    if (checksum_.hex64() == state.checksum) return;
  }
  file_.leave();
  ends_.leave();
  throw DataError(file_.path() + " is not what the interrupted job left: run without --resume");
}

void PbinWriter::read_tokens_again() {
  std::vector<char> part(kReadBytes);
  for (std::uint64_t at = kHeaderBytes; at != file_.size();) {
    const auto n = std::min<std::uint64_t>(part.size(), file_.size() - at);
    file_.read(at, part.data(), n);
    checksum_.add({part.data(), n});
    at += n;
  }
}

template <class T>
void PbinWriter::write(std::span<const std::uint32_t> ids) {
  const std::vector<T> tokens(ids.begin(), ids.end());
  const std::string_view bytes(reinterpret_cast<const char*>(tokens.data()),
                               tokens.size() * sizeof(T));
  file_.append(bytes);
  checksum_.add(bytes);
}

void PbinWriter::add(std::span<const std::uint32_t> ids) {
  if (ids.empty()) return;
  const std::uint64_t limit = std::uint64_t(1) << (8 * width_);
  const auto misfit =
      std::find_if(ids.begin(), ids.end(), [&](std::uint64_t id) { return id >= limit; });
  if (misfit != ids.end())
    throw DataError(path_ + ": token id " + std::to_string(*misfit) + " does not fit into " +
                    std::to_string(width_) + " bytes");
  largest_ = std::max<std::int64_t>(largest_, *std::max_element(ids.begin(), ids.end()));
  tokens_ += static_cast<std::int64_t>(ids.size());
  if (width_ == 1)
    write<std::uint8_t>(ids);
  else if (width_ == 2)
    write<std::uint16_t>(ids);
  else
    write<std::uint32_t>(ids);
}

void PbinWriter::end_document() {
  ends_.append(bytes_of(static_cast<std::uint64_t>(tokens_) * width_));
  ++documents_;
}

void PbinWriter::add_documents(std::string_view tokens, std::span<const std::int64_t> lengths,
                               std::int64_t largest) {
  file_.append(tokens);
  checksum_.add(tokens);
  largest_ = std::max(largest_, largest);
  for (const std::int64_t length : lengths) {
    tokens_ += length;
    end_document();
  }
}

PbinState PbinWriter::save() {
  file_.sync();
  ends_.sync();
  return {tokens_, documents_, largest_, checksum_.hex64()};
}

void PbinWriter::leave() {
  file_.leave();
  ends_.leave();
}

void PbinWriter::write_index_at_end() {
  IndexWriter index([&](std::string_view bytes) { file_.append(bytes); });
  std::vector<std::uint64_t> part;
  std::uint64_t begin = 0;
  for (std::int64_t done = 0; done != documents_; done += std::int64_t(part.size())) {
    part.resize(std::min<std::size_t>(kReadBytes / sizeof begin, std::size_t(documents_ - done)));
    ends_.read(std::uint64_t(done) * sizeof begin, reinterpret_cast<char*>(part.data()),
               part.size() * sizeof begin);
    for (const std::uint64_t end : part) {
      index.add({begin, end - begin});
      begin = end;
    }
  }
  index.end();
}

void PbinWriter::finish(SideFile side) {
  write_index_at_end();
  file_.overwrite(0, header(static_cast<std::uint64_t>(tokens_) * width_, width_));
  file_.sync();
  side.tokens = tokens_;
  side.documents = documents();
  side.largest_token = largest_;
  side.checksum = checksum_.hex64();
  side_.emplace(side_path(path_), PartialFile::Busy::fail);
  side_->append(json_of(side));
  side_->sync();
}

void PbinWriter::publish() {
  // The .pbin file last: where it stands, all is there.
  side_->rename_to_final();
  try {
    file_.rename_to_final();
  } catch (...) {
    ::unlink(side_path(path_).c_str());
    throw;
  }
}

}  // namespace mortise::pbin
