// tensor_parallel, held to the contracts of cutters and of layer operations.

#include "sdk/conformance/model/layer_op_contract.hpp"
#include "sdk/conformance/parallel/cutter_contract.hpp"
#include "sdk/conformance/parallel/one_rank.hpp"
#include "tests/contract/plugin_contract.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/no_failures.hpp"

namespace mortise::tests {
namespace {

std::unique_ptr<LoadedComponent> made(Mesh& mesh, bool sequence) {
  return std::make_unique<LoadedComponent>(
      "tensor_parallel", "tensor_parallel",
      SettingList{{"sequence", sequence}, {"sequence_length", 12}},
      Surroundings{.services = {{Remote<Mesh>::id, kit::object_of<Mesh>(mesh)}}});
}

conformance::LayerOpCase linear_case() {
  conformance::LayerOpCase c;
  c.layer = {"up", "mortise.op/linear/1", {ParameterId(0)}, {}};
  c.own = {conformance::sample_parameter("up.weight", {5, 4}, Role::matrix, {0})};
  c.inputs = {conformance::sample_values("x", {2, 3, 4}).to(at::kFloat).requires_grad_(true)};
  return c;
}

}  // namespace

TEST_CASE("tensor_parallel: keeps the contracts of a cutter and of a layer operation") {
  conformance::OneRankMesh mesh;
  for (const bool sequence : {false, true}) {
    CAPTURE(sequence);
    conformance::Report report;
    check_fresh_both_ways<Cutter>(
        report, [&] { return made(mesh, sequence); },
        [&](Cutter& c) { conformance::check_cutter_contract(c, report); });
    const auto component = made(mesh, sequence);
    check_both_ways<LayerOp>(*component, report, [&](LayerOp& op) {
      conformance::check_layer_op_contract(op, linear_case(), report);
    });
    check_no_failures(report);
  }
}

}  // namespace mortise::tests
