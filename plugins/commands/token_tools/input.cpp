#include "input.hpp"

#include <mortise/error.hpp>

#include "../../data/corpus/input_files.hpp"
#include "id_blocks.hpp"

namespace mortise::token_tools {

using token_files::EachDocument;
using token_files::TokenSpan;

namespace {

// Hands documents on and sees to it that together they are the whole file.
void without_gaps(const token_files::TokenFile& file, const EachDocument& each) {
  std::int64_t end = 0;
  const auto refuse_gap = [&](std::int64_t next) {
    if (next != end)
      throw DataError(file.path() + ": tokens " + std::to_string(end) + ".." +
                      std::to_string(next - 1) + " belong to no document of its index");
  };
  file.each_document([&](TokenSpan span) {
    refuse_gap(span.first);
    end = span.first + span.size;
    each(span);
  });
  refuse_gap(file.tokens());
}

void split_at(const Input& input, std::int64_t end_id, const EachDocument& each) {
  std::int64_t begin = 0, at = 0;
  each_block(input, {0, input.file.tokens()}, [&](std::span<const std::uint32_t> ids) {
    for (const std::uint32_t id : ids) {
      ++at;
      if (id != end_id) continue;
      each({begin, at - begin});
      begin = at;
    }
  });
  if (begin != at) each({begin, at - begin});
}

}  // namespace

Input::Input(const std::string& path)
    : file(path), side(pbin::read_side_file(file.path()).value_or(pbin::SideFile{})) {
  if (side.tokens >= 0 && side.tokens != file.tokens())
    throw DataError(pbin::side_path(file.path()) + " belongs to another file: it says " +
                    std::to_string(side.tokens) + " tokens, the file has " +
                    std::to_string(file.tokens()));
}

std::vector<Input> open_inputs(const std::vector<std::string_view>& patterns) {
  std::vector<Input> inputs;
  for (const std::string& path : corpus::expand(patterns)) inputs.emplace_back(path);
  return inputs;
}

void require_tokenizer(const Input& input, const Tokenizer& tokenizer) {
  const std::string own = input.side.tokenizer_fingerprint, expected = tokenizer.fingerprint();
  if (!own.empty() && own != expected)
    throw DataError(input.file.path() + " was packed with tokenizer " + own + ", expected " +
                    expected);
}

std::int64_t end_of_document(const Input& input, std::optional<std::int64_t> end_id) {
  return end_id ? *end_id : input.side.end_of_document;
}

void each_document(const Input& input, std::optional<std::int64_t> end_id,
                   const EachDocument& each) {
  const std::int64_t id = end_of_document(input, end_id);
  if (input.file.knows_documents())
    without_gaps(input.file, each);
  else if (id >= 0)
    split_at(input, id, each);
  else if (input.file.tokens() > 0)
    each({0, input.file.tokens()});
}

}  // namespace mortise::token_tools
