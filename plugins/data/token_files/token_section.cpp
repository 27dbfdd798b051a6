#include "token_section.hpp"

#include <unistd.h>

#include <algorithm>
#include <mortise/error.hpp>
#include <utility>
#include <vector>

namespace mortise::token_files {

using pbin::PartialFile;

TokenSection::TokenSection(std::string path, Element element)
    : path_(std::move(path)), file_(path_, PartialFile::Busy::fail), element_(element) {}

template <class T>
void TokenSection::write(std::span<const std::uint32_t> ids) {
  const std::vector<T> tokens(ids.begin(), ids.end());
  const std::string_view bytes(reinterpret_cast<const char*>(tokens.data()),
                               tokens.size() * sizeof(T));
  file_.append(bytes);
  checksum_.add(bytes);
}

void TokenSection::add(std::span<const std::uint32_t> ids) {
  if (ids.empty()) return;
  const bool is_signed = element_ == Element::i32;
  const std::uint64_t limit = std::uint64_t(1) << (8 * bytes_of(element_) - (is_signed ? 1 : 0));
  const auto misfit =
      std::find_if(ids.begin(), ids.end(), [&](std::uint64_t id) { return id >= limit; });
  if (misfit != ids.end())
    throw DataError(path_ + ": token id " + std::to_string(*misfit) + " does not fit into " +
                    std::to_string(bytes_of(element_)) +
                    (is_signed ? " bytes with a sign" : " bytes"));
  largest_ = std::max<std::int64_t>(largest_, *std::max_element(ids.begin(), ids.end()));
  tokens_ += static_cast<std::int64_t>(ids.size());
  if (bytes_of(element_) == 1)
    write<std::uint8_t>(ids);
  else if (bytes_of(element_) == 2)
    write<std::uint16_t>(ids);
  else
    write<std::uint32_t>(ids);
}

void TokenSection::finish(pbin::SideFile side, std::int64_t documents) {
  file_.sync();
  side.tokens = tokens_;
  side.documents = documents;
  side.largest_token = largest_;
  side.checksum = checksum_.hex64();
  side_.emplace(pbin::side_path(path_), PartialFile::Busy::fail);
  side_->append(pbin::json_of(side));
  side_->sync();
}

void TokenSection::publish() {
  // The tokens last: where they stand, all is there.
  side_->rename_to_final();
  try {
    file_.rename_to_final();
  } catch (...) {
    ::unlink(pbin::side_path(path_).c_str());
    throw;
  }
}

}  // namespace mortise::token_files
