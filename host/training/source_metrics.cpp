#include "host/training/source_metrics.hpp"

namespace mortise::host {
namespace {

// 0 where nothing is recorded.
double take(std::map<std::string, double>& records, const std::string& name) {
  const auto node = records.extract(name);
  return node.empty() ? 0 : node.mapped();
}

}  // namespace

void add_source_metrics(const std::vector<SourceUse>& uses, std::int64_t sequence_length,
                        std::map<std::string, double>& records, StepRecord& record) {
  for (std::size_t i = 0; i != uses.size(); ++i) {
    const SourceUse& use = uses[i];
    const double loss = take(records, "loss_of_source/" + std::to_string(i)),
                 tokens = take(records, "tokens_of_source/" + std::to_string(i));
    if (tokens > 0) {
      record.values.push_back({"train/loss/" + use.name, loss / tokens});
      record.values.push_back({"train/tokens/" + use.name, tokens});
    }
    record.values.push_back({"data/tokens/" + use.name, double(use.drawn * sequence_length)});
    record.values.push_back({"data/epoch/" + use.name, double(use.drawn) / double(use.samples)});
  }
}

}  // namespace mortise::host
