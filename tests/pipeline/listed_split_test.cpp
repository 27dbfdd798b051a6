// The plugin's own word on units: their costs, and lists of names.

#include <doctest/doctest.h>

#include <mortise/parallel/selector.hpp>

#include "tests/unit/loaded_component.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using Numbers = std::vector<std::int64_t>;

const std::vector<UnitCost> kUnits{{"embed", 900, 0},
                                   {"layer.0", 40, 100},
                                   {"layer.1", 40, 100},
                                   {"layer.2", 40, 100},
                                   {"head", 900, 300}};

std::vector<Numbers> stages_of(const Selector& selector, std::int64_t stages) {
  std::vector<Numbers> all;
  for (std::int64_t s = 0; s != stages; ++s) all.push_back(selector.units(s, stages, 5));
  return all;
}

std::string refusal(const std::vector<std::string>& split, std::int64_t stages) {
  const LoadedComponent pipeline("pipeline", "pipeline", {{"split", split}});
  auto selector = pipeline.as<Selector>();
  selector.weigh(kUnits);
  try {
    selector.units(0, stages, 5);
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::bad_settings);
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("pipeline: units go where the dearest stage computes least, evenly before weigh()") {
  const LoadedComponent pipeline("pipeline", "pipeline");
  auto selector = pipeline.as<Selector>();
  CHECK(stages_of(selector, 2) == std::vector<Numbers>{{0, 1}, {2, 3, 4}});
  selector.weigh(kUnits);
  CHECK(stages_of(selector, 2) == std::vector<Numbers>{{0, 1, 2, 3}, {4}});
  CHECK(stages_of(selector, 1) == std::vector<Numbers>{{0, 1, 2, 3, 4}});
}

TEST_CASE("pipeline: a list names the first units of stages; one stage has them all") {
  const LoadedComponent pipeline("pipeline", "pipeline",
                                 {{"split", std::vector<std::string>{"layer.0", "layer.2"}}});
  auto selector = pipeline.as<Selector>();
  selector.weigh(kUnits);
  CHECK(stages_of(selector, 3) == std::vector<Numbers>{{0}, {1, 2}, {3, 4}});
  CHECK(stages_of(selector, 1) == std::vector<Numbers>{{0, 1, 2, 3, 4}});
}

TEST_CASE("pipeline: lists that do not fit are refused, with numbers and names") {
  CHECK(refusal({"layer.1"}, 3) ==
        "split: it lists 1 unit for 3 stages (mesh.pp): expected 2, one for each stage but the "
        "first");
  CHECK(refusal({"layer.1", "layer.2"}, 2) ==
        "split: it lists 2 units for 2 stages (mesh.pp): expected 1, one for each stage but the "
        "first");
  CHECK(refusal({"layer.9"}, 2) ==
        "split: 'layer.9' is no unit of the model; its units are embed, layer.0, layer.1, layer.2, "
        "head");
  CHECK(refusal({"layer.1", "layer.0"}, 3) ==
        "split: 'layer.0' does not stand after 'layer.1', with which the stage before begins: list "
        "units in the order of the model");
  CHECK(refusal({"embed"}, 2) ==
        "split: 'embed' does not stand after 'embed', with which the stage before begins: list "
        "units in the order of the model");
}
