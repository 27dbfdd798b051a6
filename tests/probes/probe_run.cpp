#include "tests/probes/probe_run.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "host/checkpoint/box.hpp"
#include "host/distributed/mesh.hpp"
#include "tests/training/forked_ranks.hpp"

namespace mortise::tests {
namespace {

constexpr std::int64_t kVocabulary = 31, kWidth = 12, kHidden = 20;

class Descent final : public Optimizer {
 public:
  std::optional<SlotPlan> slots(ParameterId, const ParameterInfo&) override { return SlotPlan{}; }
  void step(const std::vector<Piece>& pieces, const StepInfo& info) override {
    for (const Piece& p : pieces) p.master.sub_(p.gradient * info.learning_rate.to(at::kFloat));
  }
};

class FirstWeights final : public Initializer {
 public:
  void fill(const Piece& piece, const ParameterInfo& info, std::uint64_t) override {
    at::Tensor master = piece.master;
    host::copy_common(host::whole_box(info.shape), small_weights(info).flatten(), piece.box,
                      master);
  }
};

// The whole of what every rank has a box of; what all of them hold is counted once.
at::Tensor whole(Communicator& group, const Shape& shape, const Box& box, const at::Tensor& mine) {
  const Box all = host::whole_box(shape);
  at::Tensor sum = at::zeros({all.count()}, mine.options());
  if (group.rank() == 0 || !(box == all)) host::copy_common(box, mine, all, sum);
  group.all_reduce(sum, ReduceOp::sum)->wait();
  return sum.view(shape);
}

host::StepInput input_of(const ProbeCase& c, std::int64_t step, int rank, int size) {
  host::StepInput input{step, c.micro_batches, {}};
  for (std::int64_t k = rank; k < (c.micro_batches + size - 1) / size * size; k += size) {
    input.rounds.emplace_back();
    if (k < c.micro_batches) input.rounds.back() = probe_batch(step, k);
  }
  return input;
}

ProbeResult result_of(const host::Engine& engine, Communicator& group, const ProbeParts& parts) {
  ProbeResult result;
  const auto& infos = engine.parameters().infos();
  for (const Piece& p : engine.parameters().pieces()) {
    const ParameterInfo& info = infos[std::size_t(p.parameter)];
    result.weights[info.name] = whole(group, info.shape, p.box, p.master);
  }
  for (std::size_t i = 0; i != engine.buffers().infos().size(); ++i)
    result.buffers[engine.buffers().infos()[i].name] = engine.buffers().values()[i].clone();
  if (parts.stateful != nullptr)
    for (const State& s : parts.stateful->state())
      result.states[s.name] = whole(group, s.shape, s.box, s.value.reshape({-1}));
  return result;
}

}  // namespace

TinyModel::TinyModel() {
  d_.unit("embed");
  embedding_ = d_.embedding("embed", kVocabulary, kWidth);
  d_.unit("middle", 0);
  up_ = d_.linear("up", kWidth, kHidden, true);
  activation_ = d_.activation("activation", "gelu");
  down_ = d_.linear("down", kHidden, kWidth);
  d_.unit("head");
  head_ = d_.linear("head", kWidth, kVocabulary, false, Role::head);
}

TensorList TinyModel::forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                                   const Batch& batch) {
  if (visit.unit == 0) return {unit(embedding_, batch["tokens"])};
  if (visit.unit == 2) return {unit.end(head_, hidden[0])};
  const at::Tensor inner = unit(activation_, unit(up_, hidden[0]));
  return {hidden[0] + unit(down_, inner)};
}

at::Tensor plain_linear(const Weights& w, const std::string& name, const at::Tensor& x) {
  const auto bias = w.find(name + ".bias");
  const at::Tensor y = x.matmul(w.at(name + ".weight").t());
  return bias == w.end() ? y : y + bias->second;
}

at::Tensor tiny_logits(const Weights& w, const Batch& batch, const Linear& linear) {
  const at::Tensor x = at::embedding(w.at("embed.weight"), batch["tokens"]);
  return linear("head", x + linear("down", at::gelu(linear("up", x))));
}

Batch probe_batch(std::int64_t step, std::int64_t micro_batch) {
  SmallShape shape;
  shape.vocabulary = kVocabulary;
  return small_batch(shape, 3, 8, step, micro_batch);
}

double tokens_of(const ProbeCase& c, std::int64_t step) {
  double tokens = 0;
  for (std::int64_t k = 0; k != c.micro_batches; ++k)
    tokens += probe_batch(step, k)["targets"].ne(-100).sum().item<double>();
  return tokens;
}

at::Tensor cross_entropy_sum(const at::Tensor& logits, const Batch& batch) {
  return at::cross_entropy_loss(logits.flatten(0, 1), batch["targets"].flatten(), {},
                                at::Reduction::Sum, -100);
}

ProbeResult train_probe(const ProbeCase& c, int rank, int size, const std::filesystem::path& store,
                        const AddParts& add) {
  host::RankEnvironment ranks;
  ranks.rank = rank;
  ranks.size = size;
  const std::chrono::milliseconds timeout(60000);
  host::HostMesh mesh({{"dp", size}}, ranks,
                      size > 1 ? host::join_through_file(store.string(), size, timeout) : nullptr,
                      timeout);
  ProbeParts parts;
  parts.surroundings.services[Remote<Mesh>::id] = kit::object_of<Mesh>(mesh);
  Owner& owner = parts.view<Owner>(*parts.load(c.owner, c.owner, {{"reduction", "micro_batch"}}));
  TinyModel tiny;
  PlainCrossEntropy cross_entropy;
  Descent descent;
  FirstWeights initializer;
  add(parts);
  parts.optimizers.push_back({&descent, "descent", {}, kRate});
  host::WeightGradientQueue queue;
  host::EngineSettings settings;
  if (c.recompute) settings.recompute.kind = host::Recompute::Kind::all;
  host::Engine engine({parts.model != nullptr ? *parts.model : tiny,
                       parts.loss != nullptr ? *parts.loss : cross_entropy,
                       owner,
                       parts.layer_ops,
                       parts.optimizers,
                       parts.observers,
                       {mesh},
                       queue},
                      settings);
  engine.parameters().initialize(initializer, 1);
  for (int s = 0; s != c.steps; ++s) engine.train(input_of(c, s, rank, size));
  const host::StepInput seen = input_of(c, 99, rank, size);
  engine.evaluate({seen.micro_batches, seen.rounds});
  return result_of(engine, engine.layout().everyone(), parts);
}

Weights first_weights(const std::vector<ParameterInfo>& infos) {
  Weights all;
  for (const ParameterInfo& info : infos) all[info.name] = small_weights(info);
  return all;
}

void descend(const std::string&, at::Tensor& weight, const at::Tensor& gradient) {
  weight.sub_(gradient * kRate);
}

Weights train_reference(const ProbeCase& c, Weights weights, const StepLoss& loss,
                        const Update& update,
                        const std::function<void(const Weights&)>& after_step) {
  for (int s = 0; s != c.steps; ++s) {
    Weights leaves;
    for (const auto& [name, value] : weights) leaves[name] = value.clone().requires_grad_(true);
    loss(leaves, s).backward();
    for (auto& [name, value] : weights)
      if (leaves[name].grad().defined()) update(name, value, leaves[name].grad());
    if (after_step) after_step(weights);
  }
  return weights;
}

void require_close(const Weights& expected, const Weights& got, double tolerance) {
  if (expected.size() != got.size())
    throw std::runtime_error(std::to_string(expected.size()) + " tensors expected, got " +
                             std::to_string(got.size()));
  for (const auto& [name, value] : expected) {
    const double norm = value.to(at::kDouble).norm().item<double>();
    const double off = (got.at(name) - value).to(at::kDouble).norm().item<double>();
    if (!(off <= tolerance * norm))
      throw std::runtime_error(name + " differs by " + std::to_string(off) + " of " +
                               std::to_string(norm));
  }
}

bool on_ranks(int size, const std::function<void(int rank, const std::filesystem::path&)>& body) {
  const TemporaryFolder folder;
  for (const int code : run_forked(size, [&](int rank) {
         at::set_num_threads(1);
         body(rank, folder.path() / "store");
       }))
    if (code != 0) return false;
  return true;
}

}  // namespace mortise::tests
