#pragma once

#include <string>
#include <vector>

#include "../bpe/encoder.hpp"

namespace mortise::tiktoken {

// Byte-pair encoding by ranks: a word that is a token is that token; else, beginning with its
// bytes, the two neighbours that make the token of lowest rank together are merged, again and
// again. `tokens`: those of a rank file.
bpe::Encoder rank_encoder(const std::vector<std::string>& tokens);

}  // namespace mortise::tiktoken
