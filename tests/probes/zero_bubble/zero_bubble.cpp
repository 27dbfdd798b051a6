// Pipelines: consecutive units on each stage; GPipe (Huang et al. 2019), 1F1B (Narayanan et al.
// 2019), and ZB-H1 (Qi et al. 2024), which fills the bubble of 1F1B with weight gradients that
// linear layers have put off.

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <torch/csrc/autograd/custom_function.h>

#include <mortise/model/layer_op.hpp>
#include <mortise/parallel/selector.hpp>
#include <mortise/parallel/weight_gradients.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;

// linear whose weight gradient is computed later, by the product that autograd would compute.
struct LaterLinear : torch::autograd::Function<LaterLinear> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            const WeightGradients* later) {
    context->save_for_backward({x, weight});
    context->saved_data["later"] = reinterpret_cast<std::int64_t>(later);
    context->saved_data["bias"] = bias.has_value();
    return at::linear(x, weight, bias);
  }
  static TensorList backward(torch::autograd::AutogradContext* context, TensorList gradients) {
    const TensorList saved = context->get_saved_variables();
    const at::Tensor x = saved[0].flatten(0, -2), g = gradients[0].flatten(0, -2);
    at::Tensor weight = saved[1];
    const auto* later =
        reinterpret_cast<const WeightGradients*>(context->saved_data["later"].toInt());
    later->defer([x, g, weight]() mutable {
      at::Tensor& sum = weight.mutable_grad();
      const at::Tensor gradient = g.t().mm(x);
      sum = sum.defined() ? sum + gradient : gradient;
    });
    const bool has_bias = context->saved_data["bias"].toBool();
    return {g.mm(weight).view(saved[0].sizes()), {}, has_bias ? g.sum(0) : at::Tensor(), {}};
  }
};

class ZeroBubble final : public Selector, public LayerOp {
 public:
  enum class Schedule { gpipe, one_f_one_b, zb_h1 };
  struct Config {
    Schedule schedule = Schedule::zb_h1;
    static constexpr auto settings() {
      return fields(field("schedule", &Config::schedule)
                        .choice("gpipe", Schedule::gpipe)
                        .choice("1f1b", Schedule::one_f_one_b)
                        .choice("zb_h1", Schedule::zb_h1)
                        .doc("order of passes"));
    }
  };
  using Services = services<WeightGradients>;
  ZeroBubble(const Config& config, Context& context)
      : schedule_(config.schedule), later_(context.service<WeightGradients>()) {}

  std::vector<std::int64_t> units(std::int64_t stage, std::int64_t stages,
                                  std::int64_t units) const override {
    std::vector<std::int64_t> mine;
    for (std::int64_t u = stage * units / stages; u != (stage + 1) * units / stages; ++u)
      mine.push_back(u);
    return mine;
  }

  std::vector<Action> schedule(std::int64_t stage, std::int64_t stages, std::int64_t units,
                               std::int64_t count) const override {
    Stage s{this->units(stage, stages, units), stage, stages, {}};
    const std::int64_t ahead = schedule_ == Schedule::gpipe ? count : stages - stage - 1;
    std::int64_t forward = 0, backward = 0, weights = 0;
    const bool splits = schedule_ == Schedule::zb_h1;
    while (backward != count) {
      while (forward != count && forward <= backward + ahead) s.forward(forward++);
      s.backward(backward++);
      // A stage keeps as many weight gradients as stages before it, while others warm up.
      if (splits && backward - weights > stage) s.weights(weights++);
    }
    while (splits && weights != count) s.weights(weights++);
    return s.actions;
  }

  std::optional<Link> bind(LayerId, const Layer& layer,
                           const std::vector<ParameterInfo>&) override {
    if (layer.op != "mortise.op/linear/1" || !layer.attributes.entries().empty())
      return std::nullopt;
    return Link{};
  }
  TensorList apply(LayerId, Tensors inputs, Tensors weights, Tensors, OpCall& next) override {
    if (schedule_ != Schedule::zb_h1 || !weights[0].is_leaf() || !weights[0].requires_grad())
      return next.next(inputs, weights);
    const std::optional<at::Tensor> bias =
        weights.size() > 1 ? std::optional(weights[1]) : std::nullopt;
    return {LaterLinear::apply(inputs[0], weights[0], bias, &later_)};
  }

 private:
  struct Stage {
    using Kind = Action::Kind;
    std::vector<std::int64_t> units;
    std::int64_t stage, stages;
    std::vector<Action> actions;

    void forward(std::int64_t m) {
      if (stage > 0) actions.push_back({Kind::receive_activations, m, units.front(), stage - 1});
      for (const std::int64_t u : units) actions.push_back({Kind::forward, m, u});
      if (stage + 1 < stages)
        actions.push_back({Kind::send_activations, m, units.back(), stage + 1});
    }
    void backward(std::int64_t m) {
      if (stage + 1 < stages)
        actions.push_back({Kind::receive_gradients, m, units.back(), stage + 1});
      for (auto u = units.rbegin(); u != units.rend(); ++u)
        actions.push_back({Kind::backward, m, *u});
      if (stage > 0) actions.push_back({Kind::send_gradients, m, units.front(), stage - 1});
    }
    void weights(std::int64_t m) {
      for (auto u = units.rbegin(); u != units.rend(); ++u)
        actions.push_back({Kind::weight_backward, m, *u});
    }
  };

  Schedule schedule_;
  WeightGradients& later_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.probe.zero_bubble", MORTISE_VERSION,
               mortise::component<ZeroBubble, mortise::Selector, mortise::LayerOp>(
                   "zero_bubble", "pipeline whose weight gradients fill the bubble"));
