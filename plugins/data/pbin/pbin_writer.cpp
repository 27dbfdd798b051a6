#include "pbin_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <mortise/error.hpp>
#include <utility>

#include "pickle_index.hpp"

namespace mortise::pbin {

namespace {

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
    : path_(std::move(path)), file_(path_, busy), width_(bytes_per_token) {
  file_.append(header(0, 0));  // all zeros: not finished
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

void PbinWriter::end_document() { ends_.push_back(static_cast<std::uint64_t>(tokens_) * width_); }

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

void PbinWriter::finish(SideFile side) {
  write_index(ends_, [&](std::string_view bytes) { file_.append(bytes); });
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
