#include "rank_encoder.hpp"

#include <array>
#include <string_view>

namespace mortise::tiktoken {

namespace {

// Each way to make a token out of two.
std::vector<bpe::Merge> merges_of(const std::vector<std::string>& tokens,
                                  const bpe::TokenMap& ids) {
  std::vector<bpe::Merge> merges;
  for (std::uint32_t id = 0; id != tokens.size(); ++id) {
    const std::string_view token = tokens[id];
    for (std::size_t cut = 1; cut < token.size(); ++cut) {
      const auto left = ids.find(token.substr(0, cut));
      if (!left) continue;
      if (const auto right = ids.find(token.substr(cut))) merges.push_back({*left, *right, id, id});
    }
  }
  return merges;
}

}  // namespace

bpe::Encoder rank_encoder(const std::vector<std::string>& tokens) {
  bpe::TokenMap ids(tokens.size());
  for (std::uint32_t id = 0; id != tokens.size(); ++id)
    if (!tokens[id].empty()) ids.insert(tokens[id], id);
  std::array<std::uint32_t, 256> bytes;
  for (unsigned byte = 0; byte != 256; ++byte) {
    const char c = static_cast<char>(byte);
    bytes[byte] = *ids.find({&c, 1});
  }
  const auto first_ids = [bytes](std::string_view word, std::vector<std::uint32_t>& out) {
    for (const char c : word) out.push_back(bytes[static_cast<unsigned char>(c)]);
  };
  bpe::PairTable pairs(merges_of(tokens, ids));
  return bpe::Encoder({first_ids, std::move(pairs), std::move(ids)});
}

}  // namespace mortise::tiktoken
