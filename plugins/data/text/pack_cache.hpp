#pragma once

// Packed copies of text, kept under a name that is made of what they depend on. One process packs,
// others that want the same copy wait for it.

#include <functional>
#include <mortise/data/tokenizer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "../pbin/pbin_writer.hpp"

namespace mortise::text {

// Changes with the contents of the files, the tokenizer and the field, not with their names.
// Errors: DataError naming the file.
std::string cache_key(const std::vector<std::string>& files, const Tokenizer& tokenizer,
                      std::string_view field);

// `asked`, or mortise/packed in the user's cache folder.
// Errors: ConfigError when there is neither.
std::string cache_folder(std::string_view asked);

// The packed file `key` of `folder`; `pack` fills and finishes it when it is not there.
// Errors: Error(storage) when the folder cannot be written.
std::string cached(const std::string& folder, const std::string& key, std::int64_t vocabulary_size,
                   const std::function<void(pbin::PbinWriter&)>& pack);

}  // namespace mortise::text
