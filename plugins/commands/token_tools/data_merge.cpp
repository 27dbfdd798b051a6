#include "data_merge.hpp"

#include <iostream>

#include "copy_document.hpp"

namespace mortise::token_tools {

DataMerge::DataMerge(const Config& config) : config_(config), target_(packed_target(config.out)) {
  refuse_to_replace(target_, config_.overwrite);
}

std::int64_t DataMerge::run() {
  using Form = data_tools::Progress::Form;
  return run_job("merging", config_.json ? Form::json : Form::line, [&](Job& job) { work(job); });
}

void DataMerge::work(Job& job) {
  const std::vector<Input> inputs = open_inputs(config_.inputs);
  job.begin(inputs);
  const pbin::SideFile facts = facts_of(inputs, config_.unknown_fits);
  target_.element = token_files::element_for(target_.format, vocabulary_of(inputs, facts));
  const auto writer = token_files::open_writer(target_);
  for (const Input& input : inputs)
    each_document(input, config_.eod,
                  [&](token_files::TokenSpan span) { copy_document(input, span, *writer, job); });
  writer->finish(facts);
  writer->publish();
  const std::uint32_t width = bytes_of(target_.element);
  std::cout << (config_.json ? job.result({file_json(*writer, width)}) : summary(*writer, width))
            << std::endl;
}

}  // namespace mortise::token_tools
