#pragma once

// Text files become packed tokens: documents in the order of the files, each followed by the
// tokenizer's end_of_document if it has one.

#include <cstdint>
#include <functional>
#include <mortise/data/tokenizer.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../pbin/mapped_file.hpp"
#include "../pbin/pbin_writer.hpp"

namespace mortise::corpus {

enum class EndOfDocument { when_known, none };

std::optional<std::uint32_t> end_of_document(const Tokenizer& tokenizer);

class Packer {
 public:
  // Told the bytes of text that are done, now and then.
  using Progress = std::function<void(std::int64_t bytes)>;

  Packer(const Tokenizer& tokenizer, std::string_view field, EndOfDocument end,
         pbin::PbinWriter& writer, Progress progress = {});

  // Errors: DataError naming file and line; what the tokenizer throws.
  void add(const pbin::MappedFile& file);

  // What the side file says; counts of the packed file itself are left to the writer.
  // Errors: DataError when there was no document.
  pbin::SideFile side_file() const;
  std::int64_t blank_lines() const { return blank_lines_; }

 private:
  void take(std::string_view text);
  void encode_pending();
  void encode(const std::vector<std::string_view>& texts);
  void write_document(std::span<const std::uint32_t> ids);

  const Tokenizer& tokenizer_;
  std::string field_;
  std::int64_t vocabulary_size_;
  std::optional<std::uint32_t> end_;
  pbin::PbinWriter& writer_;
  Progress progress_;
  std::string pending_;              // texts that wait for encode, one after the other
  std::vector<std::size_t> breaks_;  // where each of them ends
  std::vector<pbin::SideFile::Source> sources_;
  std::int64_t blank_lines_ = 0, bytes_ = 0;
};

}  // namespace mortise::corpus
