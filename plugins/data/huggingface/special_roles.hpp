#pragma once

#include <functional>
#include <mortise/data/tokenizer.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "added_tokens.hpp"
#include "json.hpp"

namespace mortise::huggingface {

// Which tokens end and begin a document, pad and stand for the unknown, each by the first of:
// tokenizer_config.json (`eos_token`, `bos_token`, `pad_token`, `unk_token`); for the beginning
// what the file's template puts before a text; a special added token with a usual name; for the end
// of a document also the only special token there is. `find` gives the id of a token. Errors:
// DataError for a token of tokenizer_config.json that does not exist.
std::vector<SpecialToken> special_roles(
    const std::optional<Json>& tokenizer_config, const Json& tokenizer, const AddedTokens& added,
    const std::function<std::optional<std::uint32_t>(std::string_view)>& find);

}  // namespace mortise::huggingface
