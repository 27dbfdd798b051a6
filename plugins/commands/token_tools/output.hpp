#pragma once

// Token files that a command writes.

#include <optional>
#include <string>
#include <string_view>

#include "../../data/token_files/token_writer.hpp"
#include "input.hpp"

namespace mortise::token_tools {

// Throws ConfigError where one of the files of `target` is there already, or one that would make it
// be read in another format.
void refuse_to_replace(const token_files::Target& target, bool overwrite);

// A packed file of this name, which must end in .pbin.
// Errors: ConfigError.
token_files::Target packed_target(std::string_view out);

// What is known of the inputs together: vocabulary, tokenizer, end of documents, sources.
// Errors: DataError for files of different tokenizers, and for some of known and some of unknown
//         ones, unless `unknown_fits`.
pbin::SideFile facts_of(const std::vector<Input>& inputs, bool unknown_fits);

// Ids are below this: the vocabulary if it is known, else what the widest input can hold.
std::int64_t vocabulary_of(const std::vector<Input>& inputs, const pbin::SideFile& facts);

}  // namespace mortise::token_tools
