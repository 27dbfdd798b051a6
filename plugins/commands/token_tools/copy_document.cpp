#include "copy_document.hpp"

#include "id_blocks.hpp"

namespace mortise::token_tools {

void copy_document(const Input& input, token_files::TokenSpan span,
                   token_files::TokenWriter& writer, Job& job) {
  each_block(input, span, [&](std::span<const std::uint32_t> ids) {
    writer.add(ids);
    job.passed(input, ids.size());
  });
  writer.end_document();
  job.end_document();
}

}  // namespace mortise::token_tools
