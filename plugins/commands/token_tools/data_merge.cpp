#include "data_merge.hpp"

#include "copy_document.hpp"

namespace mortise::token_tools {

DataMerge::DataMerge(const Config& config) : config_(config) {
  refuse_to_replace(packed_target(config_.out), config_.overwrite);
}

std::int64_t DataMerge::run() {
  return write_packed("merging", config_, [&](const auto& inputs, auto& writer, Job& job) {
    for (const Input& input : inputs)
      each_document(input, config_.eod,
                    [&](token_files::TokenSpan span) { copy_document(input, span, writer, job); });
    return Remark{};
  });
}

}  // namespace mortise::token_tools
