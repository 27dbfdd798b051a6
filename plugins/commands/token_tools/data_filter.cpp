#include "data_filter.hpp"

#include <mortise/error.hpp>

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

DataFilter::DataFilter(const Config& config) : config_(config) {
  if (!config_.min_tokens && !config_.max_tokens && !config_.unique)
    throw ConfigError("no rule is given: expected --min-tokens, --max-tokens or --unique");
  if (config_.min_tokens && config_.max_tokens && *config_.min_tokens > *config_.max_tokens)
    throw ConfigError("min_tokens " + std::to_string(*config_.min_tokens) +
                      " is more than max_tokens " + std::to_string(*config_.max_tokens));
  refuse_to_replace(packed_target(config_.out), config_.overwrite);
}

std::int64_t DataFilter::run() {
  return write_packed("filtering", config_, [&](const auto& inputs, auto& writer, Job& job) {
    DocumentRules rules({config_.min_tokens, config_.max_tokens, config_.unique});
    for (const Input& input : inputs)
      each_document(input, config_.eod, [&](token_files::TokenSpan span) {
        if (rules.keeps(input, span)) copy_document(input, span, writer, job);
      });
    if (writer.documents() == 0) throw DataError("no document is left; " + dropped(rules));
    return Remark{"; " + dropped(rules), dropped_json(rules)};
  });
}

}  // namespace mortise::token_tools
