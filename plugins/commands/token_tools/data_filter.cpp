#include "data_filter.hpp"

#include <iostream>

#include "copy_document.hpp"
#include "document_rules.hpp"

namespace mortise::token_tools {

namespace {

std::string dropped(const DocumentRules& rules) {
  return "dropped: " + std::to_string(rules.too_short()) + " too short, " +
         std::to_string(rules.too_long()) + " too long, " + std::to_string(rules.repeated()) +
         " repeated";
}

std::string dropped_json(const DocumentRules& rules) {
  return ", \"too_short\": " + std::to_string(rules.too_short()) +
         ", \"too_long\": " + std::to_string(rules.too_long()) +
         ", \"repeated\": " + std::to_string(rules.repeated());
}

}  // namespace

DataFilter::DataFilter(const Config& config) : config_(config), target_(packed_target(config.out)) {
  if (!config_.min_tokens && !config_.max_tokens && !config_.unique)
    throw ConfigError("no rule is given: expected --min-tokens, --max-tokens or --unique");
  if (config_.min_tokens && config_.max_tokens && *config_.min_tokens > *config_.max_tokens)
    throw ConfigError("min_tokens " + std::to_string(*config_.min_tokens) +
                      " is more than max_tokens " + std::to_string(*config_.max_tokens));
  refuse_to_replace(target_, config_.overwrite);
}

std::int64_t DataFilter::run() {
  using Form = data_tools::Progress::Form;
  return run_job("filtering", config_.json ? Form::json : Form::line, [&](Job& job) { work(job); });
}

void DataFilter::work(Job& job) {
  const std::vector<Input> inputs = open_inputs(config_.inputs);
  job.begin(inputs);
  const pbin::SideFile facts = facts_of(inputs, config_.unknown_fits);
  target_.element = token_files::element_for(target_.format, vocabulary_of(inputs, facts));
  const auto writer = token_files::open_writer(target_);
  DocumentRules rules({config_.min_tokens, config_.max_tokens, config_.unique});
  for (const Input& input : inputs)
    each_document(input, config_.eod, [&](token_files::TokenSpan span) {
      if (rules.keeps(input, span)) copy_document(input, span, *writer, job);
    });
  if (writer->documents() == 0) throw DataError("no document is left; " + dropped(rules));
  writer->finish(facts);
  writer->publish();
  const std::uint32_t width = bytes_of(target_.element);
  std::cout << (config_.json ? job.result({file_json(*writer, width)}, dropped_json(rules))
                             : summary(*writer, width) + "; " + dropped(rules))
            << std::endl;
}

}  // namespace mortise::token_tools
