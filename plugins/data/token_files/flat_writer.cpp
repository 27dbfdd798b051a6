#include "flat_writer.hpp"

#include <mortise/error.hpp>

#include "llm_c_header.hpp"
#include "npy_header.hpp"

namespace mortise::token_files {

FlatWriter::FlatWriter(const Target& target)
    : format_(target.format),
      width_(bytes_of(target.element)),
      section_(target.path, target.element) {
  section_.append_header(header());
}

std::string FlatWriter::header() const {
  if (format_ == Format::npy) return npy_header(tokens(), width_);
  if (format_ == Format::llm_c) return llm_c_header(tokens(), width_);
  return {};
}

void FlatWriter::add(std::span<const std::uint32_t> ids) {
  if (format_ == Format::llm_c && tokens() > kLlmCMostTokens - std::int64_t(ids.size()))
    throw DataError(path() + ": a file of llm.c holds at most " + std::to_string(kLlmCMostTokens) +
                    " tokens: write several with data chunk, or another format");
  section_.add(ids);
}

void FlatWriter::finish(pbin::SideFile side) {
  if (const std::string text = header(); !text.empty()) section_.overwrite_header(text);
  section_.finish(std::move(side), documents_);
}

}  // namespace mortise::token_files
