#include "tests/training/engine_run.hpp"

#include <ATen/ATen.h>

#include <chrono>
#include <limits>
#include <mortise/optim/optimizer.hpp>

#include "host/checkpoint/box.hpp"
#include "host/distributed/mesh.hpp"
#include "host/engine/engine.hpp"
#include "tests/training/delayed_mesh.hpp"

namespace mortise::tests {
namespace {

// The fused operation, directly; what the adamw plugin does is tested with that plugin.
class TestAdamW final : public Optimizer {
 public:
  std::optional<SlotPlan> slots(ParameterId, const ParameterInfo&) override {
    return SlotPlan{false, {{"exp_avg"}, {"exp_avg_sq"}, {"step", SlotLike::scalar}}};
  }
  void step(const std::vector<Piece>& pieces, const StepInfo& info) override {
    TensorList masters, gradients, first, second, steps;
    for (const Piece& p : pieces) {
      if (p.master.numel() == 0) continue;
      masters.push_back(p.master);
      gradients.push_back(p.gradient);
      first.push_back(p.slots[0]);
      second.push_back(p.slots[1]);
      steps.push_back(p.slots[2]);
      steps.back().add_(1 - info.skip);
    }
    if (!masters.empty())
      at::_fused_adamw_(masters, gradients, first, second, {}, steps, info.learning_rate, 0.9, 0.95,
                        0.1, 1e-8, false, false, {}, info.skip);
  }
};

// Sleeps up to 2 ms before each callback: what is right only by timing fails. Notes visits.
class DelayedOwner final : public Owner {
 public:
  DelayedOwner(Owner& inner, int seed, bool active, Seen* seen)
      : inner_(inner), pause_(seed, active), seen_(seen) {}
  void plan(PlanBuilder& p) override { inner_.plan(p); }
  void begin_step(const StepPlan& s) override { pause_(), inner_.begin_step(s); }
  void before(const Visit& v) override {
    pause_();
    if (seen_ != nullptr) seen_->visits.push_back(v);
    if (seen_ != nullptr && seen_->look) seen_->look(v);
    inner_.before(v);
  }
  void after(const Visit& v) override { pause_(), inner_.after(v); }
  void gradients_ready(const Visit& v, Tensors g) override {
    pause_(), inner_.gradients_ready(v, g);
  }
  void finish_gradients() override { pause_(), inner_.finish_gradients(); }
  at::Tensor norm_part(double p) const override { return inner_.norm_part(p); }
  std::vector<Piece> pieces() const override { return inner_.pieces(); }

 private:
  Owner& inner_;
  Pause pause_;
  Seen* seen_;
};

// Notes what is asked of a communicator.
class SeenCommunicator final : public Communicator {
 public:
  SeenCommunicator(std::unique_ptr<Communicator> inner, std::string axes, Seen& seen)
      : inner_(std::move(inner)), axes_(std::move(axes)), seen_(seen) {}
  std::int64_t rank() const override { return inner_->rank(); }
  std::int64_t size() const override { return inner_->size(); }
  bool supports(std::string_view capability) const override {
    return capability == seen_.capability || inner_->supports(capability);
  }
  std::unique_ptr<Work> all_gather(const at::Tensor& out, const at::Tensor& in) override {
    note("all_gather", in);
    return inner_->all_gather(out, in);
  }
  std::unique_ptr<Work> reduce_scatter(const at::Tensor& out, const at::Tensor& in) override {
    note("reduce_scatter", in);
    return inner_->reduce_scatter(out, in);
  }
  std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& sum,
                                               const at::Tensor& in) override {
    note("reduce_scatter_ordered", in);
    return inner_->reduce_scatter_ordered(sum, in);
  }
  std::unique_ptr<Work> all_to_all(const at::Tensor& out, const at::Tensor& in) override {
    note("all_to_all", in);
    return inner_->all_to_all(out, in);
  }
  std::unique_ptr<Work> all_to_all_v(const at::Tensor& out, const at::Tensor& in,
                                     std::span<const std::int64_t> out_sizes,
                                     std::span<const std::int64_t> in_sizes) override {
    note("all_to_all_v", in);
    return inner_->all_to_all_v(out, in, out_sizes, in_sizes);
  }
  std::unique_ptr<Work> all_reduce(const at::Tensor& t, ReduceOp operation) override {
    note("all_reduce", t);
    return inner_->all_reduce(t, operation);
  }
  std::unique_ptr<Work> broadcast(const at::Tensor& t, std::int64_t root) override {
    note("broadcast", t);
    return inner_->broadcast(t, root);
  }
  std::unique_ptr<Work> send(const at::Tensor& t, std::int64_t peer) override {
    note("send", t);
    return inner_->send(t, peer);
  }
  std::unique_ptr<Work> receive(const at::Tensor& t, std::int64_t peer) override {
    note("receive", t);
    return inner_->receive(t, peer);
  }
  void barrier() override { inner_->barrier(); }

 private:
  void note(const char* operation, const at::Tensor& input) {
    seen_.collectives.push_back({axes_, operation, std::int64_t(input.nbytes())});
  }
  std::unique_ptr<Communicator> inner_;
  std::string axes_;
  Seen& seen_;
};

class SeenMesh final : public Mesh {
 public:
  SeenMesh(Mesh& inner, Seen& seen) : inner_(inner), seen_(seen) {}
  std::vector<MeshAxis> axes() const override { return inner_.axes(); }
  std::unique_ptr<Communicator> communicator(std::string_view axes) override {
    return std::make_unique<SeenCommunicator>(inner_.communicator(axes), std::string(axes), seen_);
  }

 private:
  Mesh& inner_;
  Seen& seen_;
};

class TestInitializer final : public Initializer {
 public:
  void fill(const Piece& piece, const ParameterInfo& info, std::uint64_t) override {
    at::Tensor master = piece.master;
    host::copy_common(host::whole_box(info.shape), small_weights(info).flatten(), piece.box,
                      master);
  }
};

// Takes the losses of targets where the vocabulary is cut, as losses of language models do.
class CrossEntropyOfTargets final : public Loss {
 public:
  at::Tensor counts(const Batch& batch) const override { return PlainCrossEntropy().counts(batch); }
  void add_terms(UnitContext& unit, LayerId head, const at::Tensor& hidden,
                 const Batch& batch) override {
    const at::Tensor losses = unit(head, {hidden, batch["targets"]});
    if (losses.sizes() != batch["targets"].sizes())
      throw std::runtime_error("the head has given logits, not the losses of its targets");
    unit.term("cross_entropy", losses.sum(), Denominator::tokens, 1.0);
  }
};

// The proxy of `object` or the object itself.
template <class I>
struct Reached {
  Reached(I& object, bool crossed)
      : proxy(kit::object_of(object)), used(crossed ? proxy : object) {}
  Remote<I> proxy;
  I& used;
};

// Whole parameters or gradients from every rank's pieces. Copies must be equal.
TensorList gather_whole(const host::Parameters& parameters, Communicator& everyone,
                        at::Tensor Piece::*member) {
  const double inf = std::numeric_limits<double>::infinity();
  TensorList low, high;
  for (const ParameterInfo& info : parameters.infos()) {
    low.push_back(at::full({host::whole_box(info.shape).count()}, inf));
    high.push_back(at::full_like(low.back(), -inf));
  }
  for (const Piece& p : parameters.pieces()) {
    const auto i = std::size_t(p.parameter);
    const Box whole = host::whole_box(parameters.infos()[i].shape);
    host::copy_common(p.box, p.*member, whole, low[i]);
    host::copy_common(p.box, p.*member, whole, high[i]);
  }
  for (std::size_t i = 0; i != low.size(); ++i) {
    everyone.all_reduce(low[i], ReduceOp::min)->wait();
    everyone.all_reduce(high[i], ReduceOp::max)->wait();
    if (!low[i].equal(high[i]))
      throw std::runtime_error(parameters.infos()[i].name + ": ranks have different copies");
    low[i] = low[i].view(parameters.infos()[i].shape);
  }
  return low;
}

// The strategies besides the owner, loaded from their files.
struct Strategies {
  Strategies(const std::vector<TrainingCase::Strategy>& all, const Surroundings& surroundings) {
    for (const TrainingCase::Strategy& s : all) {
      SettingList settings = s.settings;
      if (!s.schedule.empty()) settings.emplace_back("schedule", s.schedule);
      if (!s.split.empty()) settings.emplace_back("split", s.split);
      const auto& made = loaded.emplace_back(
          std::make_unique<LoadedComponent>(s.plugin, s.key, settings, surroundings));
      if (made->object<Selector>().table != nullptr)
        selector = std::make_unique<Remote<Selector>>(made->as<Selector>());
      if (made->object<Cutter>().table != nullptr)
        cutters.push_back(std::make_unique<Remote<Cutter>>(made->as<Cutter>()));
      if (made->object<LayerOp>().table != nullptr)
        ops.push_back(std::make_unique<Remote<LayerOp>>(made->as<LayerOp>()));
    }
  }
  host::LayoutParts layout(Mesh& mesh) const {
    host::LayoutParts parts{mesh, selector.get(), {}};
    for (const auto& c : cutters) parts.cutters.push_back(c.get());
    return parts;
  }
  std::vector<host::LayerOpBinding> bindings(LayerOp* link) const {
    std::vector<host::LayerOpBinding> all;
    if (link != nullptr) all.push_back({link, "link", "*"});
    for (const auto& o : ops) all.push_back({o.get(), "strategy", "*"});
    return all;
  }
  std::vector<std::unique_ptr<LoadedComponent>> loaded;
  std::unique_ptr<Remote<Selector>> selector;
  std::vector<std::unique_ptr<Remote<Cutter>>> cutters;
  std::vector<std::unique_ptr<Remote<LayerOp>>> ops;
};

// What carries the collectives of a case.
class Carrying {
 public:
  explicit Carrying(const std::string& name) {
    if (name == "gloo") return;
    component_ = std::make_unique<LoadedComponent>(name, name);
    connector_ = std::make_unique<Remote<Connector>>(component_->as<Connector>());
  }
  host::Carriage carriage() const {
    host::Carriage carriage;
    carriage.connector = connector_.get();
    return carriage;
  }

 private:
  std::unique_ptr<LoadedComponent> component_;
  std::unique_ptr<Remote<Connector>> connector_;
};

std::vector<host::AxisSize> axes_of(const TrainingCase& c, int size) {
  std::vector<host::AxisSize> axes;
  for (const auto& [name, ranks] : c.mesh) axes.push_back({name, ranks});
  if (axes.empty()) axes.push_back({"dp", size});
  return axes;
}

// Over the micro-batches of a step that is never trained.
double evaluate(host::Engine& engine, const TrainingCase& c) {
  const Communicator& dealt = engine.layout().micro_batches();
  host::EvaluationInput input{c.micro_batches, {}};
  for (std::int64_t k = dealt.rank(); k - dealt.rank() < c.micro_batches; k += dealt.size()) {
    input.rounds.emplace_back();
    if (k < c.micro_batches)
      input.rounds.back() = small_batch(c.shape, c.sequences, c.length, 1000, k);
  }
  return engine.evaluate(input);
}

SettingList owner_settings(const TrainingCase& c) {
  SettingList settings{{"reduction", c.by_micro_batch ? "micro_batch" : "step"}};
  if (c.owner == "fsdp") {
    settings.emplace_back("reshard", c.reshard);
    settings.emplace_back("prefetch", c.prefetch);
    settings.emplace_back("ordered", c.ordered);
    settings.emplace_back("units_per_group", c.units_per_group);
  }
  return settings;
}

host::EngineSettings engine_settings(const TrainingCase& c) {
  host::EngineSettings settings;
  settings.seed = 1234;
  if (c.clip_norm > 0) settings.clip_norm = c.clip_norm;
  settings.norm = c.norm;
  if (c.bfloat16) settings.compute = DType::bfloat16;
  if (c.recompute) settings.recompute.kind = host::Recompute::Kind::all;
  return settings;
}

// This rank's micro-batches of a step.
host::StepInput input_of(const TrainingCase& c, const host::Layout& layout, int step) {
  const std::int64_t ranks = layout.micro_batches().size(), rank = layout.micro_batches().rank();
  host::StepInput input{step, c.micro_batches, {}};
  for (std::int64_t first = 0; first < c.micro_batches; first += ranks) {
    input.rounds.emplace_back();
    if (first + rank < c.micro_batches)
      input.rounds.back() = small_batch(c.shape, c.sequences, c.length, step, first + rank);
  }
  return input;
}

}  // namespace

TrainingResult train_through_engine(const TrainingCase& c, int rank, int size, bool crossed,
                                    const std::filesystem::path& store) {
  host::RankEnvironment ranks;
  ranks.rank = rank;
  ranks.size = size;
  const std::chrono::milliseconds timeout(60000);
  const Carrying carrying(c.communicator);
  host::HostMesh prompt(axes_of(c, size), ranks,
                        size > 1 ? host::join_through_file(store.string(), size, timeout) : nullptr,
                        timeout, nullptr, carrying.carriage());
  DelayedMesh late(prompt, rank);
  Mesh& asked = c.delays ? static_cast<Mesh&>(late) : prompt;
  Seen unseen;
  SeenMesh seen_mesh(asked, c.seen != nullptr ? *c.seen : unseen);
  Mesh& mesh = c.seen != nullptr ? static_cast<Mesh&>(seen_mesh) : asked;
  host::WeightGradientQueue queue;
  Surroundings surroundings;
  surroundings.services[Remote<Mesh>::id] = kit::object_of<Mesh>(mesh);
  surroundings.services[Remote<WeightGradients>::id] = kit::object_of<WeightGradients>(queue);
  const Strategies strategies(c.strategies, surroundings);
  const LoadedComponent owner(c.owner, c.owner, owner_settings(c), surroundings);
  Remote<Owner> owner_proxy = owner.as<Owner>();
  DelayedOwner delayed(crossed ? static_cast<Owner&>(owner_proxy) : owner.in_place<Owner>(), rank,
                       c.delays, c.seen);
  const std::unique_ptr<LoadedComponent> loaded_model = load_model(c);
  SmallModel small(c.shape);
  Model& model = loaded_model == nullptr ? small : loaded_model->in_place<Model>();
  PlainCrossEntropy of_logits;
  CrossEntropyOfTargets of_targets;
  Loss& loss = c.takes_losses ? static_cast<Loss&>(of_targets) : of_logits;
  TestAdamW adamw;
  TestInitializer initializer;
  const Reached<Model> m(model, crossed);
  const Reached<Loss> l(loss, crossed);
  const Reached<Optimizer> o(adamw, crossed);
  const Reached<Initializer> i(initializer, crossed);

  host::Engine engine({m.used,
                       l.used,
                       delayed,
                       strategies.bindings(c.link),
                       {{&o.used, "adamw", {}, c.learning_rate}},
                       {},
                       strategies.layout(mesh),
                       queue},
                      engine_settings(c));
  engine.layout().require_micro_batches(c.micro_batches);
  engine.parameters().initialize(i.used, 1);

  TrainingResult result;
  for (int s = 0; s != c.steps; ++s) {
    const host::StepValues values = host::read(engine.train(input_of(c, engine.layout(), s)));
    result.losses.push_back(values.loss);
    result.norms.push_back(values.norm);
  }
  Communicator& everyone = engine.layout().everyone();
  result.parameters = gather_whole(engine.parameters(), everyone, &Piece::master);
  result.gradients = gather_whole(engine.parameters(), everyone, &Piece::gradient);
  if (c.evaluates) result.evaluation = evaluate(engine, c);
  return result;
}

std::int64_t differing(const TensorList& a, const TensorList& b) {
  std::int64_t n = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i != a.size() && i != b.size(); ++i)
    n += a[i].ne(b[i]).sum().item<std::int64_t>() + a[i].isnan().sum().item<std::int64_t>();
  return n;
}

}  // namespace mortise::tests
