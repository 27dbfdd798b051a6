// What a run tells of the sources of its data.

#include "host/training/source_metrics.hpp"

#include <doctest/doctest.h>

namespace mortise::tests {

TEST_CASE("source metrics: loss per token of each source, what was drawn, and nothing else taken") {
  std::map<std::string, double> records = {{"loss_of_source/0", 12},
                                           {"tokens_of_source/0", 4},
                                           {"loss_of_source/2", 0},
                                           {"tokens_of_source/2", 0},
                                           {"own", 7}};
  StepRecord record;
  host::add_source_metrics({{"web", 10, 40}, {"code", 3, 2}, {"math", 0, 5}}, 16, records, record);
  std::map<std::string, double> got;
  for (const Metric& m : record.values) got[m.name] = m.value;
  CHECK(got == std::map<std::string, double>{{"train/loss/web", 3},
                                             {"train/tokens/web", 4},
                                             {"data/tokens/web", 160},
                                             {"data/epoch/web", 0.25},
                                             {"data/tokens/code", 48},
                                             {"data/epoch/code", 1.5},
                                             {"data/tokens/math", 0},
                                             {"data/epoch/math", 0}});
  CHECK(records == std::map<std::string, double>{{"own", 7}});
}

}  // namespace mortise::tests
