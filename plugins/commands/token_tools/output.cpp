#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <mortise/error.hpp>

namespace mortise::token_tools {

using token_files::Format;
using token_files::Target;

namespace {

constexpr std::string_view kPacked = ".pbin";

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string index_path(const std::string& path) { return path.substr(0, path.size() - 4) + ".idx"; }

void check_tokenizer(const Input& input, const pbin::SideFile& facts, const std::string& first) {
  const std::string& own = input.side.tokenizer_fingerprint;
  if (own == facts.tokenizer_fingerprint) return;
  if (!own.empty() && !facts.tokenizer_fingerprint.empty())
    throw DataError(input.file.path() + " was packed with tokenizer " + own + ", " + first +
                    " with " + facts.tokenizer_fingerprint + ": their ids mean different things");
  const bool own_is_known = !own.empty();
  throw DataError((own_is_known ? first : input.file.path()) +
                  ": nothing says which tokenizer packed it, " +
                  (own_is_known ? input.file.path() : first) + " was packed with " +
                  (own_is_known ? own : facts.tokenizer_fingerprint) +
                  ": --unknown-fits if you know that it is the same");
}

void add_sources(const Input& input, pbin::SideFile& facts) {
  const pbin::SideFile& side = input.side;
  if (side.sources.empty())
    facts.sources.push_back({input.file.path(), std::int64_t(input.file.token_bytes().size()),
                             side.documents, input.file.tokens()});
  facts.sources.insert(facts.sources.end(), side.sources.begin(), side.sources.end());
}

}  // namespace

void refuse_to_replace(const Target& target, bool overwrite) {
  const auto refuse = [](const std::string& path) {
    throw ConfigError(path + " is there already: give another name or --overwrite");
  };
  if (!overwrite && exists(target.path)) refuse(target.path);
  if (target.format == Format::megatron && !overwrite && exists(index_path(target.path)))
    refuse(index_path(target.path));
  if ((target.format == Format::plain || target.format == Format::llm_c) &&
      exists(index_path(target.path)))
    throw ConfigError(index_path(target.path) + " is there, so " + target.path +
                      " would be read as Megatron's: give another name");
}

Target packed_target(std::string_view out) {
  if (!out.ends_with(kPacked) || out.size() == kPacked.size())
    throw ConfigError("out: expected a name that ends in .pbin, got " + std::string(out) +
                      "; data convert writes other formats");
  return {std::string(out), Format::pbin, token_files::Element::u16};
}

pbin::SideFile facts_of(const std::vector<Input>& inputs, bool unknown_fits) {
  pbin::SideFile facts;
  const std::string& first = inputs.front().file.path();
  facts.tokenizer_fingerprint = inputs.front().side.tokenizer_fingerprint;
  facts.end_of_document = inputs.front().side.end_of_document;
  bool all_known = true;
  for (const Input& input : inputs) {
    const bool known = !input.side.tokenizer_fingerprint.empty();
    if (unknown_fits && facts.tokenizer_fingerprint.empty())
      facts.tokenizer_fingerprint = input.side.tokenizer_fingerprint;
    if (known || !unknown_fits) check_tokenizer(input, facts, first);
    all_known = all_known && input.side.vocabulary_size > 0;
    facts.vocabulary_size = std::max(facts.vocabulary_size, input.side.vocabulary_size);
    facts.end_of_document = std::max(facts.end_of_document, input.side.end_of_document);
    add_sources(input, facts);
  }
  if (!all_known && !unknown_fits) facts.vocabulary_size = -1;
  return facts;
}

std::int64_t vocabulary_of(const std::vector<Input>& inputs, const pbin::SideFile& facts) {
  std::int64_t most = facts.vocabulary_size;
  for (const Input& input : inputs)
    if (input.side.vocabulary_size <= 0)
      most = std::max(most, std::int64_t(1) << std::min(32u, 8 * input.file.bytes_per_token()));
  return most;
}

}  // namespace mortise::token_tools
