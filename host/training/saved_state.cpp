#include "host/training/saved_state.hpp"

#include <mortise/run/stateful.hpp>
#include <nlohmann/json.hpp>

#include "host/checkpoint/box.hpp"
#include "host/distributed/gather_text.hpp"

namespace mortise::host {
namespace {

// Parameters and buffers.
std::vector<SavedTensor> weights_of(Engine& engine) {
  std::vector<SavedTensor> all;
  for (const Piece& p : engine.parameters().pieces()) {
    const ParameterInfo& info = engine.parameters().infos()[std::size_t(p.parameter)];
    all.push_back({info.name, info.shape, p.box, p.master});
  }
  const Buffers& buffers = engine.buffers();
  for (std::size_t i = 0; i != buffers.infos().size(); ++i) {
    const BufferInfo& info = buffers.infos()[i];
    all.push_back({info.name, info.shape, whole_box(info.shape), buffers.values()[i].view({-1})});
  }
  return all;
}

std::vector<SavedTensor> slots_of(Engine& engine) {
  std::vector<SavedTensor> all;
  for (const SlotState& s : engine.optimizers().slots())
    all.push_back({s.name, s.shape, s.box, s.value.view({-1})});
  return all;
}

// Components that have state, by their place in the run file.
template <class F>
void each_stateful(ModelProgram& model, F f) {
  for (const auto& [path, component] : model.wiring().made())
    if (component->speaks(Remote<Stateful>::id)) f(path + "/", *component->template as<Stateful>());
}

std::vector<SavedTensor> states_of(ModelProgram& model) {
  std::vector<SavedTensor> all;
  each_stateful(model, [&](const std::string& prefix, Stateful& component) {
    for (const State& s : component.state())
      all.push_back({prefix + s.name, s.shape, s.box, s.value.reshape({-1}).contiguous()});
  });
  return all;
}

// What the ranks together need: the stages of a pipeline have different parameters. Collective.
std::vector<ExpectedTensor> expected_by(Communicator& everyone,
                                        const std::vector<SavedTensor>& mine) {
  nlohmann::json own = nlohmann::json::object();
  for (const SavedTensor& t : mine) own[t.name] = {t.shape, int(t.values.scalar_type())};
  nlohmann::json all = nlohmann::json::object();
  for (const std::string& text : gather_text(everyone, own.dump()))
    all.update(nlohmann::json::parse(text));
  std::vector<ExpectedTensor> expected;
  for (const auto& [name, t] : all.items())
    expected.push_back({name, t[0].get<Shape>(), at::ScalarType(t[1].get<int>())});
  return expected;
}

std::string load(SavedGroup group, const std::vector<SavedTensor>& mine, Communicator& everyone,
                 const Checkpoint& checkpoint, bool allow_partial) {
  const std::vector<ExpectedTensor> expected = expected_by(everyone, mine);
  if (!allow_partial) checkpoint.require_same(group, expected);
  const CheckpointDifference difference = checkpoint.compare(group, expected);
  for (const SavedTensor& t : mine) {
    if (!checkpoint.has(t.name) || checkpoint.tensors().at(t.name).shape != t.shape) continue;
    at::Tensor to = t.values.cpu();
    checkpoint.read_into(t.name, t.box, to);
    if (!t.values.is_cpu()) at::Tensor(t.values).copy_(to);
  }
  return difference.empty() ? "" : difference.text();
}

void load_states(ModelProgram& model, const Checkpoint& checkpoint) {
  each_stateful(model, [&](const std::string& prefix, Stateful& component) {
    std::vector<State> states = component.state();
    for (State& s : states)
      if (checkpoint.has(prefix + s.name))
        s.value = checkpoint.read(prefix + s.name, s.box).view(s.value.sizes());
    component.load(states);
  });
}

}  // namespace

CheckpointContent content_of(ModelProgram& model, std::int64_t step) {
  CheckpointContent content{step, weights_of(model.engine()), slots_of(model.engine())};
  for (SavedTensor& s : states_of(model)) content.optimizer.push_back(std::move(s));
  for (auto* group : {&content.weights, &content.optimizer})
    for (SavedTensor& t : *group) t.values = t.values.cpu();
  return content;
}

std::string load_into(ModelProgram& model, const Checkpoint& checkpoint, bool allow_partial) {
  std::string differences = load(SavedGroup::weights, weights_of(model.engine()), model.everyone(),
                                 checkpoint, allow_partial);
  std::vector<SavedTensor> rest = slots_of(model.engine());
  for (SavedTensor& s : states_of(model)) rest.push_back(std::move(s));
  differences += load(SavedGroup::optimizer, rest, model.everyone(), checkpoint, allow_partial);
  load_states(model, checkpoint);
  return differences;
}

void load_weights(Engine& engine, const Checkpoint& checkpoint) {
  load(SavedGroup::weights, weights_of(engine), engine.layout().everyone(), checkpoint, false);
}

}  // namespace mortise::host
