#include "tests/training/small_model.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <mortise/random.hpp>

namespace mortise::tests {

SmallModel::SmallModel(const SmallShape& s) : shape_(s) {
  const std::int64_t head_width = s.width / s.heads;
  d_.unit("embed");
  embedding_ = d_.embedding("embed", s.vocabulary, s.width);
  for (std::int64_t i = 0; i != s.layers; ++i) {
    const std::string n = "block." + std::to_string(i);
    d_.unit(n, i);
    Block b{};
    b.norm1 = d_.norm(n + ".norm1", s.width, 1e-5);
    b.attention_in = d_.layout(n + ".attention_in");
    b.query = d_.linear(n + ".query", s.width, s.width);
    b.key = d_.linear(n + ".key", s.width, s.kv_heads * head_width);
    b.value = d_.linear(n + ".value", s.width, s.kv_heads * head_width, s.value_bias);
    b.query_norm = d_.norm(n + ".query_norm", head_width, 1e-5);
    b.key_norm = d_.norm(n + ".key_norm", head_width, 1e-5);
    b.attention = d_.attention(n + ".attention");
    b.output = d_.linear(n + ".output", s.width, s.width);
    b.dropout1 = d_.dropout(n + ".dropout1", s.dropout);
    b.norm2 = d_.norm(n + ".norm2", s.width, 1e-5);
    b.feed_in = d_.layout(n + ".feed_in");
    b.gate = d_.linear(n + ".gate", s.width, s.hidden);
    b.up = d_.linear(n + ".up", s.width, s.hidden);
    b.activation = d_.activation(n + ".activation", "swiglu");
    b.down = d_.linear(n + ".down", s.hidden, s.width);
    b.dropout2 = d_.dropout(n + ".dropout2", s.dropout);
    blocks_.push_back(b);
  }
  d_.unit("head");
  final_norm_ = d_.norm("final_norm", s.width, 1e-5);
  if (s.frozen_bias) {
    scale_ = d_.parameter({"scale", {1}, Role::scale});
    frozen_ = d_.parameter({"frozen", {s.width}, Role::other});
    d_.parameters[std::size_t(frozen_)].trainable = false;
  }
  head_in_ = d_.layout("head_in");
  head_ = s.tied ? d_.tied_linear("head", d_.weight_of(embedding_))
                 : d_.linear("head", s.width, s.vocabulary, false, Role::head);
  for (ParameterInfo& p : d_.parameters)
    if (p.units.back() < s.frozen_units) p.trainable = false;
}

at::Tensor SmallModel::block(const Block& b, UnitContext& unit, const at::Tensor& x) const {
  const std::int64_t head_width = shape_.width / shape_.heads;
  const auto heads = [&](const at::Tensor& t) {
    return t.view({t.size(0), t.size(1), -1, head_width});
  };
  const at::Tensor a = unit(b.attention_in, unit(b.norm1, x));
  const at::Tensor q = unit(b.query_norm, heads(unit(b.query, a)));
  const at::Tensor k = unit(b.key_norm, heads(unit(b.key, a)));
  const at::Tensor v = heads(unit(b.value, a));
  const at::Tensor mixed =
      unit(b.attention, {q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)});
  const at::Tensor out = unit(b.output, mixed.transpose(1, 2).flatten(2));
  const at::Tensor h = x + unit(b.dropout1, out);
  const at::Tensor m = unit(b.feed_in, unit(b.norm2, h));
  const at::Tensor gate = unit(b.gate, m);
  const at::Tensor up = unit(b.up, m);
  const at::Tensor down = unit(b.down, unit(b.activation, {gate, up}));
  return h + unit(b.dropout2, down);
}

TensorList SmallModel::forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                                    const Batch& batch) {
  const auto last = std::int64_t(blocks_.size()) + 1;
  if (visit.unit == 0) return {unit(embedding_, batch["tokens"])};
  if (visit.unit < last) return {block(blocks_[std::size_t(visit.unit - 1)], unit, hidden[0])};
  at::Tensor x = unit(final_norm_, hidden[0]);
  if (shape_.frozen_bias) x = x * unit.parameter(scale_) + unit.parameter(frozen_);
  return {unit.end(head_, unit(head_in_, x))};
}

std::vector<PlacementRule> SmallModel::placements() const {
  return {{"*.query", Placement::colwise, shape_.heads},
          {"*.key", Placement::colwise, shape_.kv_heads},
          {"*.value", Placement::colwise, shape_.kv_heads},
          {"*.output", Placement::rowwise, shape_.heads},
          {"*.gate", Placement::colwise},
          {"*.up", Placement::colwise},
          {"*.down", Placement::rowwise},
          {"*.query_norm", Placement::replicate_partial},
          {"*.key_norm", Placement::replicate_partial},
          {"embed", Placement::vocabulary},
          {"head", Placement::vocabulary}};
}

at::Tensor PlainCrossEntropy::counts(const Batch& batch) const {
  return batch["targets"].ne(-100).sum();
}

void PlainCrossEntropy::add_terms(UnitContext& unit, LayerId head, const at::Tensor& hidden,
                                  const Batch& batch) {
  const at::Tensor logits = unit(head, hidden);
  unit.term("cross_entropy",
            at::cross_entropy_loss(logits.flatten(0, 1).to(at::kFloat), batch["targets"].flatten(),
                                   {}, at::Reduction::Sum, -100),
            Denominator::tokens, 1.0);
}

Batch small_batch(const SmallShape& shape, std::int64_t sequences, std::int64_t length,
                  std::int64_t step, std::int64_t k) {
  auto generator = at::detail::createCPUGenerator(std::uint64_t(777 + step * 1000 + k));
  const at::Tensor ids =
      at::randint(0, shape.vocabulary, {sequences, length + 1}, generator, at::kLong);
  Batch batch;
  batch.set("tokens", ids.narrow(1, 0, length).contiguous());
  at::Tensor targets = ids.narrow(1, 1, length).clone();  // one sequence would share memory
  if (const std::int64_t cut = (step * 7 + k * 3) % (length / 2); cut != 0)
    targets.narrow(1, 0, cut).fill_(-100);
  batch.set("targets", targets);
  batch.set("positions", at::arange(length).expand({sequences, length}).contiguous());
  return batch;
}

at::Tensor small_weights(const ParameterInfo& info) {
  auto generator = at::detail::createCPUGenerator(random::key_of(3, info.name));
  if (info.shape.size() == 1) return at::ones(info.shape) + at::randn(info.shape, generator) * 0.1;
  const double scale = info.role == Role::embedding ? 0.02 : 0.5 / std::sqrt(double(info.shape[1]));
  return at::randn(info.shape, generator) * scale;
}

}  // namespace mortise::tests
