#include "host/engine/unit_costs.hpp"

#include <doctest/doctest.h>

#include <mortise/model/declaration.hpp>

#include "tests/unit/engine/declared_model.hpp"

namespace mortise::tests {

TEST_CASE("unit costs: parameters and operations of each unit are counted as by hand") {
  Declaration d;
  d.unit("embedding");
  const LayerId embedding = d.embedding("tokens", 100, 8);
  d.unit("block", 0);
  d.linear("up", 8, 32, true);
  d.attention("attention", 8);
  d.linear("down", 32, 8);
  d.unit("experts", 1);
  d.layer("experts", "org.example/experts/1", {{"w", {4, 8, 8}, Role::expert}});
  d.attention("attention_of_experts", 8);
  d.unit("head");
  d.tied_linear("head", d.weight_of(embedding));
  const std::vector<UnitCost> costs =
      host::costs_of_units(host::LayerChains(Declared(d), {}), d.units, 16);
  REQUIRE(costs.size() == 4);
  struct Row {
    const char* name;
    std::int64_t parameters;
    double flops;
  };
  const Row rows[] = {{"embedding", 800, 0},
                      {"block", 256 + 32 + 256, 6 * 512 + 12 * 16 * 8},
                      {"experts", 256, 6 * 256 + 12 * 16 * 8},
                      {"head", 800, 6 * 800}};
  for (std::size_t u = 0; u != 4; ++u) {
    CAPTURE(rows[u].name);
    CHECK(costs[u].name == rows[u].name);
    CHECK(costs[u].parameters == rows[u].parameters);
    CHECK(costs[u].flops == rows[u].flops);
  }
}

}  // namespace mortise::tests
