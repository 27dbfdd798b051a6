// The suite of models can fail: one fault each. A wrapped torch module keeps the contract.

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include <functional>
#include <mortise/model/declaration.hpp>
#include <mortise/model/module_model.hpp>

#include "sdk/conformance/model/model_contract.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/no_failures.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;

constexpr std::int64_t kTokens = 7, kWidth = 4;

// Embedding, one layer, head, with hooks for one fault.
class HookedModel final : public Model {
 public:
  explicit HookedModel(std::string fault = "") : fault_(std::move(fault)) {
    d_.unit("embed");
    embed_ = d_.embedding("embed", kTokens, kWidth);
    d_.unit(is("unit names") ? "embed" : "block", 0);
    mid_ = d_.linear("mid", kWidth, kWidth, true);
    if (is("unused")) d_.linear("unused", 2, 2);
    d_.unit("head");
    head_ = d_.linear("head", kWidth, kTokens, false, Role::head);
    if (is("names")) d_.parameters[1].name = d_.parameters[0].name;
    if (is("uncovered")) d_.parameters[1].units.clear();
    if (is("range")) d_.parameters[1].units = {3};
    if (is("operation")) d_.layers[0].op = "embedding";
    if (is("split layer")) d_.parameters[2].units = {0};
    if (is("fused")) d_.parameters[1].axes = {Axis::fused, Axis::in};
  }
  std::vector<ParameterInfo> parameters() const override {
    std::vector<ParameterInfo> all = d_.parameters;
    if (is("unstable")) all[0].depth = calls_++;
    return all;
  }
  std::vector<Layer> layers() const override { return d_.layers; }
  Names units() const override { return d_.units; }
  TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                          const Batch& batch) override {
    if (visit.unit == 0) return {unit(is("foreign") ? mid_ : embed_, batch["tokens"])};
    if (visit.unit == 1) return {block(visit, unit, hidden[0])};
    const at::Tensor out = unit.end(head_, hidden[0]);
    return {is("end") ? hidden[0] : out};
  }

 private:
  bool is(const char* fault) const { return fault_ == fault; }
  at::Tensor block(const Visit& visit, UnitContext& unit, const at::Tensor& x) {
    at::Tensor y = unit(mid_, x).tanh();
    if (is("cut")) y = y.detach() + x;
    if (is("gradient")) y = y * 2 - y.detach();
    if (is("impure")) y = y + double(calls_++);
    if (is("phase") && visit.phase == Phase::recompute) y = y * 2;
    if (is("micro_batch")) y = y + double(visit.micro_batch);
    if (is("infinite")) y = y / 0.0;
    return y;
  }
  std::string fault_;
  mutable std::int64_t calls_ = 0;
  Declaration d_;
  LayerId embed_{}, mid_{}, head_{};
};

struct Net : torch::nn::Module {
  torch::nn::Embedding embed{nullptr};
  torch::nn::Linear mid{nullptr}, head{nullptr};
  Net() {
    embed = register_module("embed", torch::nn::Embedding(kTokens, kWidth));
    mid = register_module("mid", torch::nn::Linear(kWidth, kWidth));
    head = register_module("head", torch::nn::Linear(kWidth, kTokens));
  }
  at::Tensor forward(const at::Tensor& tokens) { return head(mid(embed(tokens)).tanh()); }
};

conformance::ModelCase small_case() { return {conformance::token_batch(kTokens, 2, 5)}; }

}  // namespace

TEST_CASE("faults: the suite of models finds each") {
  HookedModel good;
  Report report;
  conformance::both_ways<Model>(
      good, report, [&](Model& m) { conformance::check_model_contract(m, small_case(), report); });
  check_no_failures(report);
  const std::pair<const char*, const char*> rows[] = {
      {"names", "parameters: names are unique"},
      {"unit names", "units: names are unique"},
      {"uncovered", "mid.weight: parameters: each belongs to a unit"},
      {"range", "parameters: units are in range"},
      {"operation", "an operation is named vendor/name/major"},
      {"split layer", "the parameters of a layer share a unit"},
      {"fused", "fused_parts add up"},
      {"unstable", "parameters: equal every time"},
      {"foreign", "to which it does not belong"},
      {"end", "the last unit returns what UnitContext::end gave"},
      {"unused", "unused.weight: forward_unit: every trainable parameter has a gradient"},
      {"cut", "mid.weight: forward_unit: every trainable parameter has a gradient"},
      {"gradient", "gradients equal finite differences"},
      {"impure", "is pure: same seed, same output"},
      {"phase", "is pure: same seed, same output"},
      {"micro_batch", "is pure: same seed, same output"},
      {"infinite", "forward_unit: returns finite tensors"},
  };
  for (const auto& [fault, part] : rows) {
    CAPTURE(std::string(fault));
    HookedModel bad(fault);
    Report r;
    conformance::check_model_contract(bad, small_case(), r);
    INFO(r.text());
    CHECK(found(r, part));
  }
}

TEST_CASE("module_model: a wrapped torch module keeps the contract, whole and in parts") {
  const auto net = std::make_shared<Net>();
  ModuleModel<Net> whole(net);
  ModuleModel<Net> parts(
      net, {ModuleModel<Net>::part("embed", net->embed), ModuleModel<Net>::part("mid", net->mid),
            ModuleModel<Net>::part("head", net->head)});
  for (Model* model : {static_cast<Model*>(&whole), static_cast<Model*>(&parts)}) {
    Report report;
    conformance::both_ways<Model>(*model, report, [&](Model& m) {
      conformance::check_model_contract(m, small_case(), report);
    });
    check_no_failures(report);
  }
}
