#include "megatron_writer.hpp"

#include <unistd.h>

#include <limits>
#include <mortise/error.hpp>

#include "bytes.hpp"
#include "megatron_index.hpp"

namespace mortise::token_files {

namespace {

std::string index_path(const std::string& path) { return path.substr(0, path.size() - 4) + ".idx"; }

}  // namespace

MegatronWriter::MegatronWriter(const Target& target)
    : element_(target.element),
      section_(target.path, target.element),
      index_(index_path(target.path), pbin::PartialFile::Busy::fail) {}

void MegatronWriter::add(std::span<const std::uint32_t> ids) {
  const std::int64_t size = tokens() - begin_ + std::int64_t(ids.size());
  if (size > std::numeric_limits<std::int32_t>::max())
    throw DataError(path() + ": document " + std::to_string(documents()) +
                    " has more than 2147483647 tokens, which Megatron's index cannot say");
  section_.add(ids);
}

void MegatronWriter::end_document() {
  lengths_.push_back(static_cast<std::int32_t>(tokens() - begin_));
  begin_ = tokens();
}

void MegatronWriter::finish(pbin::SideFile side) {
  const std::uint64_t count = lengths_.size();
  index_.append(megatron_header(element_, count, count + 1));
  for (const std::int32_t length : lengths_) index_.append(bytes_of_number(length));
  std::uint64_t offset = 0;
  for (const std::int32_t length : lengths_) {
    index_.append(bytes_of_number(offset));
    offset += std::uint64_t(length) * bytes_of(element_);
  }
  for (std::uint64_t d = 0; d <= count; ++d) index_.append(bytes_of_number(d));
  index_.sync();
  section_.finish(std::move(side), documents());
}

void MegatronWriter::publish() {
  // A .bin file without its index would be taken for one of nanoGPT: the index first.
  index_.rename_to_final();
  try {
    section_.publish();
  } catch (...) {
    ::unlink(index_path(path()).c_str());
    throw;
  }
}

}  // namespace mortise::token_files
