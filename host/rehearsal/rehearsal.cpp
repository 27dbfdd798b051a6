#include "host/rehearsal/rehearsal.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "host/checkpoint/box.hpp"
#include "host/rehearsal/unwritten.hpp"

namespace mortise::host {
namespace {

// Every element of a parameter costs a multiplication, but rows that are looked up do not.
double cost_of(std::int64_t unit, const Engine& engine) {
  const auto& infos = engine.parameters().infos();
  double cost = 0;
  for (std::size_t i = 0; i != infos.size(); ++i) {
    const auto& units = infos[i].units;
    const bool looked_up = infos[i].role == Role::embedding && units.front() == unit;
    if (!looked_up && std::find(units.begin(), units.end(), unit) != units.end())
      cost += double(engine.parameters().leaves()[i].numel());
  }
  return cost;
}

}  // namespace

class Rehearsal::RehearsedOwner final : public Owner {
 public:
  RehearsedOwner(Owner& inner, Rehearsal& rehearsal) : inner_(inner), rehearsal_(rehearsal) {}
  void plan(PlanBuilder& plan) override { inner_.plan(plan); }
  void begin_step(const StepPlan& plan) override {
    const MemoryCount::For owner(Purpose::owner);
    inner_.begin_step(plan);
  }
  void before(const Visit& visit) override {
    {
      const MemoryCount::For owner(Purpose::owner);
      inner_.before(visit);
    }
    rehearsal_.compute(visit);
  }
  void after(const Visit& visit) override {
    const MemoryCount::For owner(Purpose::owner);
    inner_.after(visit);
  }
  void gradients_ready(const Visit& visit, Tensors undefined) override {
    const TensorList made = rehearsal_.computes(visit)
                                ? rehearsal_.gradients_of(visit)
                                : TensorList(undefined.begin(), undefined.end());
    const MemoryCount::For owner(Purpose::owner);
    inner_.gradients_ready(visit, made);
  }
  void finish_gradients() override {
    const MemoryCount::For owner(Purpose::owner);
    inner_.finish_gradients();
  }
  at::Tensor norm_part(double) const override { return at::zeros({}, at::kDouble); }
  std::vector<Piece> pieces() const override { return inner_.pieces(); }
  void abort() override { inner_.abort(); }

 private:
  Owner& inner_;
  Rehearsal& rehearsal_;
};

// Asks for the same slots and steps nothing. Where a parameter is wanted whole, which ranks of a
// rehearsal cannot tell each other, it is counted as if each rank stepped its part.
class Rehearsal::RehearsedOptimizer final : public Optimizer {
 public:
  RehearsedOptimizer(Optimizer& inner, Rehearsal& rehearsal)
      : inner_(inner), rehearsal_(rehearsal) {}
  std::optional<SlotPlan> slots(ParameterId id, const ParameterInfo& parameter) override {
    std::optional<SlotPlan> plan = inner_.slots(id, parameter);
    if (plan && std::exchange(plan->whole_matrix, false)) rehearsal_.has_whole_matrices_ = true;
    return plan;
  }
  void step(const std::vector<Piece>&, const StepInfo&) override {}

 private:
  Optimizer& inner_;
  Rehearsal& rehearsal_;
};

Rehearsal::Rehearsal(RehearsedMesh& mesh, MemoryCount& memory) : mesh_(mesh), memory_(memory) {}
Rehearsal::~Rehearsal() = default;

Owner& Rehearsal::watch(Owner& owner) {
  owner_ = std::make_unique<RehearsedOwner>(owner, *this);
  return *owner_;
}

Optimizer& Rehearsal::watch(Optimizer& optimizer) {
  return *optimizers_.emplace_back(std::make_unique<RehearsedOptimizer>(optimizer, *this));
}

void Rehearsal::hold(Held& held, Place place, std::int64_t bytes) {
  const MemoryCount::For activations(Purpose::activations);
  held[place] = at::empty({bytes}, at::kByte);
  most_activations_ = std::max(most_activations_, memory_.now().of(Purpose::activations));
}

// Takes memory for a moment.
void Rehearsal::pass(std::int64_t bytes, Purpose purpose) {
  const MemoryCount::For reason(purpose);
  at::empty({bytes}, at::kByte);
}

void Rehearsal::compute(const Visit& visit) {
  if (!computes(visit)) return;
  const UnitFigures& f = probe_->measure(visit.unit, *engine_, mesh_, memory_);
  if (visit.phase == Phase::forward) forward(visit, f);
  if (visit.phase == Phase::backward) backward(visit, f);
}

void Rehearsal::forward(const Visit& visit, const UnitFigures& f) {
  const Place here{visit.unit, visit.micro_batch}, below{visit.unit - 1, visit.micro_batch};
  const bool trains = visit.unit >= engine_->parameters().first_trainable();
  const bool keeps = trains && !recompute_[std::size_t(visit.unit)];
  if (visit.unit > 0 && !is_here(below.first))
    hold(outputs_, below, probe_->of(below.first).outputs);
  add(traffic_, f.forward_calls);
  hold(outputs_, here, f.outputs);
  if (keeps) hold(kept_, here, f.kept);
  pass(keeps ? f.forward : f.forward_plain, Purpose::computing);
  if (!trains) outputs_.erase(below);
}

// Inputs stay until the unit below is through, unless it computes them again.
void Rehearsal::backward(const Visit& visit, const UnitFigures& f) {
  const Place here{visit.unit, visit.micro_batch}, below{visit.unit - 1, visit.micro_batch};
  const bool again = recompute_[std::size_t(visit.unit)];
  if (visit.unit + 1 != engine_->layout().model_units() && !is_here(visit.unit + 1))
    hold(gradients_, here, f.outputs);
  if (again) {
    add(traffic_, f.forward_calls);
    hold(outputs_, here, f.outputs);
    hold(kept_, here, f.kept);
    pass(f.forward, Purpose::computing);
  }
  add(traffic_, f.backward_calls);
  pass(f.backward, Purpose::computing);
  const bool passes_on = visit.unit > engine_->parameters().first_trainable();
  if (passes_on) hold(gradients_, below, probe_->of(below.first).outputs);
  gradients_.erase(here);
  kept_.erase(here);
  outputs_.erase(here);
  const bool drops_inputs = visit.unit > 0 && (!is_here(below.first) || !passes_on ||
                                               recompute_[std::size_t(below.first)]);
  if (drops_inputs) outputs_.erase(below);
}

TensorList Rehearsal::gradients_of(const Visit& visit) const {
  const MemoryCount::For gradients(Purpose::gradients);
  TensorList all;
  for (const std::size_t i : engine_->parameters().trainable_of(visit.unit)) {
    const at::Tensor& leaf = engine_->parameters().leaves()[i];
    all.push_back(at::empty(leaf.sizes(), leaf.scalar_type()));
  }
  return all;
}

void Rehearsal::step() {
  const std::int64_t ranks = engine_->layout().micro_batches().size();
  traffic_.clear();
  engine_->train(
      {0, micro_batches_, RoundBatches(std::size_t((micro_batches_ + ranks - 1) / ranks))});
  outputs_.clear();
  kept_.clear();
  gradients_.clear();
}

StepMemory Rehearsal::measure(const std::vector<bool>& recompute, std::int64_t& activations) {
  recompute_ = recompute;
  memory_.forget_peak();
  most_activations_ = 0;
  step();
  activations = most_activations_;
  StepMemory m;
  const auto bytes = [](const at::Tensor& t) { return std::int64_t(t.nbytes()); };
  for (const Piece& piece : engine_->parameters().pieces()) {
    m.masters += bytes(piece.master);
    m.gradients += bytes(piece.gradient);
  }
  for (const SlotState& slot : engine_->optimizers().slots()) m.slots += bytes(slot.value);
  const MemoryUse most = memory_.peak();
  m.total = most.total();
  m.parameters =
      most.of(Purpose::state) + most.of(Purpose::owner) - m.masters - m.gradients - m.slots;
  m.gradients += most.of(Purpose::gradients);
  m.activations = most.of(Purpose::activations);
  m.computing = most.of(Purpose::computing);
  return m;
}

// What passes between stages.
void Rehearsal::add_messages(RankFigures& figures) const {
  using Kind = Action::Kind;
  const Layout& layout = engine_->layout();
  const std::int64_t ranks = layout.micro_batches().size(), own = layout.micro_batches().rank();
  for (const PlannedAction& planned : figures.schedule) {
    const Action& a = planned.action;
    if (a.kind < Kind::send_activations || a.micro_batch * ranks + own >= micro_batches_) continue;
    const bool sends = a.kind == Kind::send_activations || a.kind == Kind::send_gradients;
    const bool of_unit = a.kind == Kind::send_activations || a.kind == Kind::receive_gradients;
    const UnitFigures& f = probe_->of(of_unit ? a.unit : a.unit - 1);
    CallCount& count = figures.traffic[{"pp", layout.stages().size(), sends ? "send" : "receive"}];
    count.calls += f.sent;
    count.bytes += f.outputs;
  }
}

RankFigures Rehearsal::run(Engine& engine, UnitProbe& probe, std::int64_t micro_batches) {
  engine_ = &engine;
  probe_ = &probe;
  micro_batches_ = micro_batches;
  const Layout& layout = engine.layout();
  here_ = {layout.units().begin(), layout.units().end()};
  RankFigures figures;
  figures.rank = layout.everyone().rank();
  figures.stage = layout.stage();
  figures.axes = mesh_.axes();
  figures.units = layout.units();
  for (const at::Tensor& leaf : engine.parameters().leaves())
    if (leaf.defined()) figures.elements += leaf.numel();
  for (const Piece& piece : engine.parameters().pieces()) figures.owned += piece.box.count();
  const std::int64_t rounds =
      (micro_batches + layout.micro_batches().size() - 1) / layout.micro_batches().size();
  figures.schedule = plan_step(layout.schedule(rounds), engine.parameters().first_trainable());

  for (const std::int64_t unit : layout.units()) figures.costs[unit] = cost_of(unit, engine);
  const auto units = std::size_t(layout.model_units());
  std::int64_t unused = 0;
  measure(engine.recomputed(), unused);  // measures units, and brings memory to its size
  Recompute all;
  all.kind = Recompute::Kind::all;
  figures.without_recomputation = measure(std::vector<bool>(units), figures.kept_without);
  figures.with_recomputation =
      measure(recomputed_units(all, engine.unit_names()), figures.kept_with);
  mesh_.count_in(&traffic_);
  figures.memory = measure(engine.recomputed(), unused);
  mesh_.count_in(nullptr);
  figures.traffic = traffic_;
  add_messages(figures);
  return figures;
}

}  // namespace mortise::host
