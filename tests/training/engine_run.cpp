#include "tests/training/engine_run.hpp"

#include <ATen/ATen.h>

#include <chrono>
#include <mortise/optim/optimizer.hpp>
#include <random>
#include <thread>

#include "host/checkpoint/box.hpp"
#include "host/distributed/mesh.hpp"
#include "host/engine/engine.hpp"
#include "tests/unit/loaded_component.hpp"

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

// Sleeps up to 2 ms before each callback: what is right only by timing fails.
class DelayedOwner final : public Owner {
 public:
  DelayedOwner(Owner& inner, int seed, bool active)
      : inner_(inner), random_(std::uint32_t(seed)), active_(active) {}
  void plan(PlanBuilder& p) override { inner_.plan(p); }
  void begin_step(const StepPlan& s) override { pause(), inner_.begin_step(s); }
  void before(const Visit& v) override { pause(), inner_.before(v); }
  void after(const Visit& v) override { pause(), inner_.after(v); }
  void gradients_ready(const Visit& v, Tensors g) override {
    pause(), inner_.gradients_ready(v, g);
  }
  void finish_gradients() override { pause(), inner_.finish_gradients(); }
  at::Tensor norm_part(double p) const override { return inner_.norm_part(p); }
  std::vector<Piece> pieces() const override { return inner_.pieces(); }

 private:
  void pause() {
    if (active_) std::this_thread::sleep_for(std::chrono::microseconds(random_() % 2000));
  }
  Owner& inner_;
  std::minstd_rand random_;
  bool active_;
};

class TestInitializer final : public Initializer {
 public:
  void fill(const Piece& piece, const ParameterInfo& info, std::uint64_t) override {
    at::Tensor master = piece.master;
    host::copy_common(host::whole_box(info.shape), small_weights(info).flatten(), piece.box,
                      master);
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

// Whole parameters or gradients from every rank's pieces.
TensorList gather_whole(const host::Parameters& parameters, Communicator& group,
                        at::Tensor Piece::*member) {
  TensorList all;
  for (const ParameterInfo& info : parameters.infos())
    all.push_back(at::zeros({host::whole_box(info.shape).count()}));
  for (const Piece& p : parameters.pieces()) {
    const auto i = std::size_t(p.parameter);
    const Box whole = host::whole_box(parameters.infos()[i].shape);
    host::copy_common(p.box, p.*member, whole, all[i]);
    if (p.box == whole && group.rank() != 0) all[i].zero_();  // held by every rank: counted once
  }
  for (std::size_t i = 0; i != all.size(); ++i) {
    group.all_reduce(all[i], ReduceOp::sum)->wait();
    all[i] = all[i].view(parameters.infos()[i].shape);
  }
  return all;
}

SettingList owner_settings(const TrainingCase& c) {
  SettingList settings{{"reduction", c.by_micro_batch ? "micro_batch" : "step"}};
  if (c.owner == "fsdp") {
    settings.emplace_back("reshard", c.reshard);
    settings.emplace_back("prefetch", c.prefetch);
  }
  return settings;
}

}  // namespace

TrainingResult train_through_engine(const TrainingCase& c, int rank, int size, bool crossed,
                                    const std::filesystem::path& store) {
  host::RankEnvironment ranks;
  ranks.rank = rank;
  ranks.size = size;
  const std::chrono::milliseconds timeout(60000);
  host::HostMesh mesh({{"dp", size}}, ranks,
                      size > 1 ? host::join_through_file(store.string(), size, timeout) : nullptr,
                      timeout);
  Surroundings surroundings;
  surroundings.services[Remote<Mesh>::id] = kit::object_of<Mesh>(mesh);
  const LoadedComponent owner(c.owner, c.owner, owner_settings(c), surroundings);
  Remote<Owner> owner_proxy = owner.as<Owner>();
  DelayedOwner delayed(crossed ? static_cast<Owner&>(owner_proxy) : owner.in_place<Owner>(), rank,
                       c.delays);
  SmallModel model(c.shape);
  PlainCrossEntropy loss;
  TestAdamW adamw;
  TestInitializer initializer;
  const Reached<Model> m(model, crossed);
  const Reached<Loss> l(loss, crossed);
  const Reached<Optimizer> o(adamw, crossed);
  const Reached<Initializer> i(initializer, crossed);
  const std::unique_ptr<Communicator> group = mesh.communicator("dp");

  host::EngineSettings settings;
  settings.seed = 1234;
  if (c.clip_norm > 0) settings.clip_norm = c.clip_norm;
  settings.norm = c.norm;
  if (c.recompute) settings.recompute.kind = host::Recompute::Kind::all;
  host::Engine engine(
      {m.used, l.used, delayed, {}, {{&o.used, "adamw", {}, c.learning_rate}}, {}, *group},
      settings);
  engine.parameters().initialize(i.used, 1);

  TrainingResult result;
  const std::int64_t rounds = (c.micro_batches + size - 1) / size;
  for (int s = 0; s != c.steps; ++s) {
    host::StepInput input{s, c.micro_batches, {}};
    for (std::int64_t r = 0; r != rounds; ++r) {
      const std::int64_t k = r * size + rank;
      input.rounds.emplace_back();
      if (k < c.micro_batches)
        input.rounds.back() = small_batch(c.shape, c.sequences, c.length, s, k);
    }
    const host::StepValues values = host::read(engine.train(input));
    result.losses.push_back(values.loss);
    result.norms.push_back(values.norm);
  }
  result.parameters = gather_whole(engine.parameters(), *group, &Piece::master);
  result.gradients = gather_whole(engine.parameters(), *group, &Piece::gradient);
  return result;
}

std::int64_t differing(const TensorList& a, const TensorList& b) {
  std::int64_t n = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i != a.size() && i != b.size(); ++i)
    n += a[i].ne(b[i]).sum().item<std::int64_t>() + a[i].isnan().sum().item<std::int64_t>();
  return n;
}

}  // namespace mortise::tests
