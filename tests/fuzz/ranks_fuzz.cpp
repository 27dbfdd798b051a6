// Rank files: bytes as they come, and as lines behind those of the 256 bytes, with which words are
// then encoded.

#include <mortise/error.hpp>

#include "plugins/data/tiktoken/rank_encoder.hpp"
#include "plugins/data/tiktoken/rank_file.hpp"
#include "tests/unit/tokenizers/small_ranks.hpp"

namespace {

using namespace mortise;

void encode(const std::vector<std::string>& tokens) {
  constexpr std::string_view text = "aababcabcd\xff\x00zz abc";
  const bpe::Encoder encoder = tiktoken::rank_encoder(tokens);
  bpe::Encoder::Scratch scratch;
  bpe::IdList ids;
  const std::string_view words[] = {text, text.substr(0, 3), text.substr(9)};
  encoder.encode(words, text.data() + text.size(), scratch, ids);
  std::string decoded;
  for (const std::uint32_t id : ids.to_vector()) decoded += tokens.at(id);
  if (decoded != std::string(text) + "aab" + std::string(text.substr(9))) __builtin_trap();
}

void read(std::string_view file) {
  try {
    encode(tiktoken::read_ranks(file));
  } catch (const DataError&) {  // refused
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string bytes = tests::small_ranks();
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  read(file);
  read(bytes + std::string(file));
  return 0;
}
