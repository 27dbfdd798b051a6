// Several optimizers in one run: who steps which parameter.

#include "host/engine/optimizers.hpp"

#include <ATen/ATen.h>

#include "host/distributed/mesh.hpp"
#include "host/engine/layout.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/probes/probe_run.hpp"
#include "tests/unit/loaded_component.hpp"

namespace mortise::tests {
namespace {

// Notes what it is given; takes nothing that is called `left`.
class Taker final : public Optimizer {
 public:
  std::optional<SlotPlan> slots(ParameterId, const ParameterInfo& info) override {
    if (info.name == left) return std::nullopt;
    taken.push_back(info.name);
    return SlotPlan{};
  }
  void step(const std::vector<Piece>& pieces, const StepInfo& info) override {
    stepped = pieces.size();
    rate = info.learning_rate.item<double>();
  }
  std::string left;
  Names taken;
  std::size_t stepped = 0;
  double rate = 0;
};

struct Fixture {
  host::HostMesh mesh{{{"dp", 1}}, {}, nullptr, std::chrono::seconds(60)};
  Surroundings surroundings{.services = {{Remote<Mesh>::id, kit::object_of<Mesh>(mesh)}}};
  LoadedComponent ddp{"ddp", "ddp", {}, surroundings};
  TinyModel model;
  host::LayerChains chains{model, {}};
  host::Layout layout{{mesh}, {chains.parameters(), {}, 3}};
  host::Parameters parameters{chains, model, ddp.in_place<Owner>(), layout.plan()};
  std::unique_ptr<Communicator> group = mesh.communicator("dp");

  host::Optimizers with(std::vector<host::OptimizerBinding> bindings) {
    return {std::move(bindings), parameters, *group};
  }
};

}  // namespace

TEST_CASE("optimizers: the first that matches takes a parameter, one without patterns the rest") {
  Fixture f;
  Taker first, second, rest;
  rest.left = "up.bias";
  host::Optimizers all = f.with({{&first, "first", {"embed.*", "head"}, 0.5},
                                 {&second, "second", {"matrix", "embed.weight"}, 0.25},
                                 {&rest, "rest", {}, 1}});
  CHECK(first.taken == Names{"embed.weight", "head.weight"});
  CHECK(second.taken == Names{"up.weight", "down.weight"});
  CHECK(rest.taken.empty());
  all.step(0, 0.5, at::zeros({}));
  CHECK(first.stepped == 2);
  CHECK(first.rate == 0.25);
  CHECK(second.rate == 0.125);
  CHECK(rest.stepped == 0);  // what it leaves stays as it is
}

TEST_CASE("optimizers: what none takes, and a pattern without a match, are errors") {
  Fixture f;
  Taker some, other;
  CHECK_THROWS_WITH_AS(f.with({{&some, "some", {"matrix"}, 1}, {&other, "other", {"head"}, 1}}),
                       "optimizer: no optimizer takes embed.weight, up.bias: give one of them no "
                       "`parameters:`, so that it takes the rest",
                       ConfigError);
  CHECK_THROWS_WITH_AS(f.with({{&some, "some", {"matrices"}, 1}, {&other, "other", {}, 1}}),
                       "optimizer some: parameters: 'matrices' is no role and matches no parameter "
                       "of the model",
                       ConfigError);
}

}  // namespace mortise::tests
