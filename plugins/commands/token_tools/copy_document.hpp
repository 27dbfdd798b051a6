#pragma once

#include "../../data/token_files/token_writer.hpp"
#include "job.hpp"

namespace mortise::token_tools {

// Adds the tokens of `span` to `writer` as one document.
// Errors: as each_block() and the writer.
void copy_document(const Input& input, token_files::TokenSpan span,
                   token_files::TokenWriter& writer, Job& job);

}  // namespace mortise::token_tools
