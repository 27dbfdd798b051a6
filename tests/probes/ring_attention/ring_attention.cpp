// Ring attention (Liu et al. 2023): each rank of axis `cp` has a part of every sequence; keys and
// values travel around the ring, their gradients come back with them.

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <limits>
#include <mortise/model/layer_op.hpp>
#include <mortise/parallel/cutter.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;

// What this rank holds goes to the next one.
at::Tensor passed_on(Communicator& ring, const at::Tensor& t) {
  const std::int64_t ranks = ring.size();
  if (ranks == 1) return t;
  const at::Tensor received = at::empty_like(t);
  const auto incoming = ring.receive(received, (ring.rank() + ranks - 1) % ranks);
  ring.send(t, (ring.rank() + 1) % ranks)->wait();
  incoming->wait();
  return received;
}

// Queries stand in groups that share a key: [B, K, H / K, T, D]; keys and values [B, K, 1, T, D].
at::Tensor scores(const at::Tensor& query, const at::Tensor& key, bool causal) {
  const at::Tensor s = query.matmul(key.transpose(-2, -1)) / std::sqrt(double(query.size(-1)));
  if (!causal) return s;
  const at::Tensor later = at::ones({s.size(-2), s.size(-1)}, at::kBool).triu(1);
  return s.masked_fill(later, -std::numeric_limits<double>::infinity());
}

struct Ring : torch::autograd::Function<Ring> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& query,
                            const at::Tensor& key, const at::Tensor& value, Communicator* ring) {
    at::Tensor travelling = at::stack({key, value});  // of rank - step
    at::Tensor output = at::zeros_like(query);
    at::Tensor logs = at::full_like(query.select(-1, 0), -std::numeric_limits<double>::infinity());
    for (std::int64_t step = 0; step != ring->size(); ++step) {
      if (step > 0) travelling = passed_on(*ring, travelling);
      if (step > ring->rank()) continue;  // it comes later in the sequence
      const at::Tensor s = scores(query, travelling[0], step == 0);
      const at::Tensor total = at::logaddexp(logs, s.logsumexp(-1));
      output = output * (logs - total).exp().unsqueeze(-1) +
               (s - total.unsqueeze(-1)).exp().matmul(travelling[1]);
      logs = total;
    }
    context->save_for_backward({query, key, value, output, logs});
    context->saved_data["ring"] = reinterpret_cast<std::int64_t>(ring);
    return output;
  }
  static TensorList backward(torch::autograd::AutogradContext* context, TensorList gradients) {
    auto& ring = *reinterpret_cast<Communicator*>(context->saved_data["ring"].toInt());
    const TensorList saved = context->get_saved_variables();
    const at::Tensor &query = saved[0], &g = gradients[0], logs = saved[4].unsqueeze(-1);
    const at::Tensor mean = (g * saved[3]).sum(-1, true);
    const double scale = 1 / std::sqrt(double(query.size(-1)));
    at::Tensor of_query = at::zeros_like(query);
    // Key, value and their gradients, until they are home again.
    at::Tensor t =
        at::cat({at::stack({saved[1], saved[2]}), at::zeros_like(at::stack({saved[1], saved[2]}))});
    for (std::int64_t step = 0; step != ring.size(); ++step, t = passed_on(ring, t)) {
      if (step > ring.rank()) continue;
      const at::Tensor p = (scores(query, t[0], step == 0) - logs).exp();
      const at::Tensor of_scores = p * (g.matmul(t[1].transpose(-2, -1)) - mean) * scale;
      of_query += of_scores.matmul(t[0]);
      t[2] += of_scores.transpose(-2, -1).matmul(query).sum(2, true);
      t[3] += p.transpose(-2, -1).matmul(g).sum(2, true);
    }
    return {of_query, t[2], t[3], {}};
  }
};

class RingAttention final : public Cutter, public LayerOp {
 public:
  explicit RingAttention(Context& context) : ring_(context.service<Mesh>().communicator("cp")) {}

  void plan(PlanBuilder& plan) override { plan.spread("cp", Spread::positions); }

  // Everything that has positions: [B, T, …].
  Batch prepare_batch(const Batch& batch) override {
    const std::int64_t length = batch["tokens"].size(1), part = length / ring_->size();
    if (part * ring_->size() != length)
      throw ConfigError("cp: sequences of " + std::to_string(length) + " tokens do not divide by " +
                        std::to_string(ring_->size()) + " ranks: change batch.sequence_length");
    Batch mine;
    for (const Batch::Entry& e : batch.entries())
      mine.set(e.name, e.value.dim() > 1 && e.value.size(1) == length
                           ? e.value.narrow(1, ring_->rank() * part, part).contiguous()
                           : e.value);
    return mine;
  }

  std::optional<Link> bind(LayerId, const Layer& layer,
                           const std::vector<ParameterInfo>&) override {
    for (const Values::Entry& e : layer.attributes.entries())
      if (e.key != "causal" && e.key != "width") return std::nullopt;
    if (layer.op != "mortise.op/attention/1" || !layer.attributes.get<bool>("causal", false))
      return std::nullopt;
    return Link{};
  }
  TensorList apply(LayerId, Tensors in, Tensors, Tensors, OpCall&) override {
    const std::int64_t keys = in[1].size(1);
    const at::Tensor query = in[0].unflatten(1, {keys, in[0].size(1) / keys}),
                     key = in[1].unsqueeze(2), value = in[2].unsqueeze(2);
    return {Ring::apply(query, key, value, ring_.get()).flatten(1, 2)};
  }

 private:
  std::unique_ptr<Communicator> ring_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.probe.ring_attention", MORTISE_VERSION,
               mortise::component<RingAttention, mortise::Cutter, mortise::LayerOp>(
                   "ring_attention", "context parallelism over the mesh axis cp"));
