#include "tests/training/plain_loop.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <map>

#include "host/engine/visit_seed.hpp"
#include "sdk/conformance/model/reference_ops.hpp"

namespace mortise::tests {
namespace {

// One leaf for each (parameter, unit).
using Leaves = std::map<std::pair<std::size_t, std::int64_t>, at::Tensor>;

class PlainContext final : public UnitContext {
 public:
  PlainContext(Model& m, Loss& l, const Leaves& leaves, const Batch& b, bool exact = false)
      : layers_(m.layers()), loss_(l), leaves_(leaves), batch_(b), exact_attention_(exact) {}
  std::int64_t unit = 0;
  at::Tensor sum;

  TensorList apply(LayerId id, Tensors in) override {
    const Layer& l = layers_[std::size_t(id)];
    const auto w = [&](std::size_t i) { return leaf(l.parameters[i]); };
    if (l.op == "org.mortise.probe/experts/1") return {experts(in[0], in[1], w(0), w(1))};
    const std::string op = l.op.substr(11);
    if (op == "linear/1")
      return {l.parameters.size() > 1 ? at::linear(in[0], w(0), w(1)) : at::linear(in[0], w(0))};
    if (op == "embedding/1") return {at::embedding(w(0), in[0])};
    if (op == "norm/1" && l.attributes.get<std::string>("kind") == "layer")
      return {at::layer_norm(in[0], w(0).sizes(), w(0), w(1), 1e-5)};
    if (op == "norm/1") return {at::rms_norm(in[0], w(0).sizes(), w(0), 1e-5)};
    if (op == "activation/1")
      return {conformance::reference_activation(l.attributes.get<std::string>("kind"), in)};
    if (op == "layout/1") return {in[0]};
    if (op == "dropout/1")
      return {at::dropout(in[0], l.attributes.get<double>("probability"), true)};
    if (op == "attention/1") return {attention(in)};
    throw std::runtime_error("no op " + l.op);
  }
  at::Tensor end(LayerId layer, const at::Tensor& hidden) override {
    loss_.add_terms(*this, layer, hidden, batch_);
    return {};
  }
  at::Tensor parameter(ParameterId p) override { return leaf(p); }
  at::Tensor buffer(std::string_view) override { return {}; }
  void term(std::string_view, const at::Tensor& s, Denominator, double) override { sum = s; }
  void update(std::string_view, const at::Tensor&) override {}
  void record(std::string_view, const at::Tensor&) override {}

 private:
  const at::Tensor& leaf(ParameterId p) const { return leaves_.at({std::size_t(p), unit}); }
  // Every expert computes every token.
  static at::Tensor experts(const at::Tensor& x, const at::Tensor& expert, const at::Tensor& up,
                            const at::Tensor& down) {
    at::Tensor sum = at::zeros_like(x);
    for (std::int64_t e = 0; e != up.size(0); ++e)
      sum = sum + at::linear(at::silu(at::linear(x, up[e])), down[e]) *
                      expert.eq(e).unsqueeze(-1).to(x.scalar_type());
    return sum;
  }
  at::Tensor attention(Tensors in) const {
    const auto wide = [](const at::Tensor& t) { return t.to(at::kDouble); };
    if (exact_attention_)
      return conformance::reference_attention(wide(in[0]), wide(in[1]), wide(in[2]))
          .to(in[0].scalar_type());
    const auto repeats = in[0].size(1) / in[1].size(1);
    const auto all = [&](const at::Tensor& t) {
      if (repeats == 1) return t;
      return t.unsqueeze(2)
          .expand({t.size(0), t.size(1), repeats, t.size(2), t.size(3)})
          .reshape({t.size(0), t.size(1) * repeats, t.size(2), t.size(3)});
    };
    return at::scaled_dot_product_attention(in[0], all(in[1]), all(in[2]), {}, 0.0, true);
  }
  std::vector<Layer> layers_;
  Loss& loss_;
  const Leaves& leaves_;
  const Batch& batch_;
  bool exact_attention_;
};

// Forward through all units in one graph; dropout is seeded as the engine documents it.
at::Tensor loss_sum(Model& model, PlainContext& context, const Batch& batch, std::int64_t step,
                    std::int64_t k) {
  TensorList hidden;
  for (std::int64_t u = 0; u != std::int64_t(model.units().size()); ++u) {
    context.unit = u;
    at::manual_seed(host::visit_seed(1234, step, k, u));
    hidden = model.forward_unit({u, k}, context, hidden, batch);
  }
  return context.sum;
}

at::Tensor padded(const at::Tensor& t) {
  at::Tensor p = at::zeros({(t.numel() + 15) / 16 * 16});
  p.narrow(0, 0, t.numel()).copy_(t.flatten());
  return p;
}

struct PlainAdamW {
  TensorList first, second, steps;
  void step(const TensorList& masters, const TensorList& gradients, double rate) {
    if (first.empty())
      for (const at::Tensor& m : masters) {
        first.push_back(at::zeros_like(m));
        second.push_back(at::zeros_like(m));
        steps.push_back(at::zeros({}));
      }
    for (at::Tensor& s : steps) s.add_(1);
    at::_fused_adamw_(masters, gradients, first, second, {}, steps, rate, 0.9, 0.95, 0.1, 1e-8,
                      false, false);
  }
};

double norm_of(const TensorList& gradients, double p) {
  double total = 0;
  for (const at::Tensor& g : gradients) {
    const at::Tensor x = g.to(at::kDouble);
    if (std::isinf(p))
      total = std::max(total, x.abs().max().item<double>());
    else
      total += x.abs().pow(p).sum().item<double>();
  }
  return std::isinf(p) ? total : std::pow(total, 1 / p);
}

class PlainLoop {
 public:
  explicit PlainLoop(const TrainingCase& c)
      : c_(c),
        small_(c.shape),
        loaded_(load_model(c)),
        model_(c.model.empty() ? small_ : loaded_->in_place<Model>()),
        infos_(model_.parameters()) {
    for (const ParameterInfo& p : infos_) masters_.push_back(padded(small_weights(p)));
  }
  TrainingResult run() {
    TrainingResult result;
    for (int s = 0; s != c_.steps; ++s) step(s, result);
    for (std::size_t i = 0; i != infos_.size(); ++i) result.parameters.push_back(whole(i));
    return result;
  }

 private:
  at::Tensor whole(std::size_t i) const {
    std::int64_t n = 1;
    for (const std::int64_t s : infos_[i].shape) n *= s;
    return masters_[i].narrow(0, 0, n).view(infos_[i].shape).clone();
  }
  Leaves leaves() const {
    Leaves all;
    for (std::size_t i = 0; i != infos_.size(); ++i)
      for (const std::int64_t u : infos_[i].units)
        all[{i, u}] = whole(i)
                          .to(c_.bfloat16 ? at::kBFloat16 : at::kFloat)
                          .set_requires_grad(infos_[i].trainable);
    return all;
  }
  static void add(Leaves& sums, const Leaves& more) {
    for (const auto& [key, g] : more) {
      if (sums[key].defined())
        sums[key].add_(g);
      else
        sums[key] = g.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true);
    }
  }
  Leaves gradients_of(std::int64_t s, std::int64_t k, double inverse, double& loss) {
    const Leaves all = leaves();
    const Batch batch = small_batch(c_.shape, c_.sequences, c_.length, s, k);
    PlainContext context(model_, loss_, all, batch, c_.exact_attention);
    const at::Tensor sum = loss_sum(model_, context, batch, s, k);
    torch::autograd::backward({sum},
                              {at::scalar_tensor(inverse, at::kDouble).to(sum.scalar_type())});
    loss += sum.to(at::kDouble).item<double>() * inverse;
    Leaves gradients;
    for (const auto& [key, leaf] : all)
      if (leaf.grad().defined()) gradients[key] = leaf.grad();
    return gradients;
  }
  // Micro-batches in order; with several ranks of reference, each rank's own first.
  Leaves sum_of_step(std::int64_t s, double inverse, TrainingResult& result) {
    std::vector<Leaves> by_rank(std::size_t(c_.ranks_of_reference));
    double loss = 0;
    for (std::int64_t k = 0; k != c_.micro_batches; ++k)
      add(by_rank[std::size_t(k % c_.ranks_of_reference)], gradients_of(s, k, inverse, loss));
    result.losses.push_back(loss);
    Leaves total;
    for (const Leaves& l : by_rank) add(total, l);
    return total;
  }
  void step(std::int64_t s, TrainingResult& result) {
    std::int64_t tokens = 0;
    for (std::int64_t k = 0; k != c_.micro_batches; ++k)
      tokens +=
          loss_.counts(small_batch(c_.shape, c_.sequences, c_.length, s, k)).item<std::int64_t>();
    const Leaves sums = sum_of_step(s, 1.0 / double(tokens), result);
    TensorList gradients, masters;
    result.gradients.clear();
    for (std::size_t i = 0; i != infos_.size(); ++i) {
      at::Tensor joined;
      for (const std::int64_t u : infos_[i].units)
        if (const auto found = sums.find({i, u}); found != sums.end())
          joined = joined.defined() ? joined + found->second : found->second;
      result.gradients.push_back(joined.defined() ? joined.clone() : at::zeros(infos_[i].shape));
      if (!joined.defined()) continue;
      gradients.push_back(padded(joined));
      masters.push_back(masters_[i]);
    }
    const double norm = norm_of(gradients, c_.norm);
    result.norms.push_back(norm);
    if (c_.clip_norm > 0)
      for (at::Tensor& g : gradients) g.mul_(float(std::min(1.0, c_.clip_norm / norm)));
    optimizer_.step(masters, gradients, c_.learning_rate);
  }

  TrainingCase c_;
  SmallModel small_;
  std::unique_ptr<LoadedComponent> loaded_;
  Model& model_;
  PlainCrossEntropy loss_;
  std::vector<ParameterInfo> infos_;
  TensorList masters_;
  PlainAdamW optimizer_;
};

}  // namespace

std::unique_ptr<LoadedComponent> load_model(const TrainingCase& c) {
  if (c.model.empty()) return nullptr;
  return std::make_unique<LoadedComponent>(
      c.model_plugin.empty() ? "probe_" + c.model : c.model_plugin, c.model, c.model_settings);
}

TrainingResult train_plainly(const TrainingCase& c) { return PlainLoop(c).run(); }

std::pair<double, TensorList> whole_graph_gradients(const SmallShape& shape, const Batch& batch,
                                                    double inverse) {
  SmallModel model(shape);
  PlainCrossEntropy loss;
  Leaves leaves;
  TensorList all;
  const auto infos = model.parameters();
  for (std::size_t i = 0; i != infos.size(); ++i) {
    all.push_back(small_weights(infos[i]).set_requires_grad(true));
    for (const std::int64_t u : infos[i].units) leaves[{i, u}] = all.back();
  }
  PlainContext context(model, loss, leaves, batch);
  const at::Tensor sum = loss_sum(model, context, batch, 0, 0);
  torch::autograd::backward({sum}, {at::scalar_tensor(inverse, at::kDouble).to(sum.scalar_type())});
  TensorList gradients;
  for (const at::Tensor& t : all) gradients.push_back(t.grad());
  return {sum.to(at::kDouble).item<double>() * inverse, gradients};
}

}  // namespace mortise::tests
