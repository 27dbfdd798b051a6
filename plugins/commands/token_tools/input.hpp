#pragma once

// Token files that a command reads, with what their side files say.

#include <mortise/data/tokenizer.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../../data/pbin/side_file.hpp"
#include "../../data/token_files/token_file.hpp"

namespace mortise::token_tools {

struct Input {
  token_files::TokenFile file;
  pbin::SideFile side;

  // Errors: DataError for a file that is broken, and for a side file of another file.
  explicit Input(const std::string& path);
};

// Files as settings name them: paths and patterns.
std::vector<Input> open_inputs(const std::vector<std::string_view>& patterns);

// Errors: DataError where the side file names another tokenizer.
void require_tokenizer(const Input& input, const Tokenizer& tokenizer);

// Calls `each` for every document. In files that do not know their documents, `end_id` ends one;
// the side file's end_of_document where it is not given. Without either the file is one document.
// Errors: DataError for tokens that belong to no document, and for a broken index.
void each_document(const Input& input, std::optional<std::int64_t> end_id,
                   const token_files::EachDocument& each);

// The id that ends documents: `end_id`, else what the side file says; -1: not known.
std::int64_t end_of_document(const Input& input, std::optional<std::int64_t> end_id);

}  // namespace mortise::token_tools
