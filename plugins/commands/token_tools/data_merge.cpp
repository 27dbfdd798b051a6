#include "data_merge.hpp"

#include <iostream>

#include "copy_document.hpp"

namespace mortise::token_tools {

DataMerge::DataMerge(const Config& config) : config_(config), target_(packed_target(config.out)) {
  refuse_to_replace(target_, config_.overwrite);
}

std::int64_t DataMerge::run() {
  const std::vector<Input> inputs = open_inputs(config_.inputs);
  const pbin::SideFile facts = facts_of(inputs, config_.unknown_fits);
  target_.element = token_files::element_for(target_.format, vocabulary_of(inputs, facts));
  const auto writer = token_files::open_writer(target_);
  for (const Input& input : inputs)
    each_document(input, config_.eod,
                  [&](token_files::TokenSpan span) { copy_document(input, span, *writer); });
  writer->finish(facts);
  writer->publish();
  std::cout << summary(*writer, bytes_of(target_.element), config_.json) << std::endl;
  return 0;
}

}  // namespace mortise::token_tools
