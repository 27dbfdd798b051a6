#include "host/rehearsal/unit_probe.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "host/rehearsal/unwritten.hpp"

namespace mortise::host {

// One run of one unit.
struct UnitProbe::Sample {
  double tokens = 0;
  UnitFigures figures;
  Forms outputs;
};

namespace {

// Of storages that are not among those of `inputs`.
std::int64_t bytes_of(const TensorList& outputs, const TensorList& inputs) {
  std::set<const void*> seen;
  for (const at::Tensor& t : inputs) seen.insert(t.storage().data());
  std::int64_t bytes = 0;
  for (const at::Tensor& t : outputs)
    if (t.defined() && seen.insert(t.storage().data()).second)
      bytes += std::int64_t(t.storage().nbytes());
  return bytes;
}

// "model.layers.7" -> "model.layers.#"
std::string stem(const std::string& name) {
  std::string text;
  for (const char c : name)
    if (c < '0' || c > '9')
      text += c;
    else if (text.empty() || text.back() != '#')
      text += '#';
  return text;
}

std::string text_of_form(at::IntArrayRef sizes, at::ScalarType type) {
  std::string text = std::to_string(int(type)) + "[";
  for (const std::int64_t s : sizes) text += std::to_string(s) + ",";
  return text + "]";
}

double tokens_of(const Batch& batch) { return double(batch["tokens"].numel()); }

void run_backward(const VisitResult& result) {
  TensorList roots, seeds;
  for (const Term& t : result.terms)
    if (t.sum.requires_grad()) roots.push_back(t.sum), seeds.push_back(at::ones_like(t.sum));
  for (const at::Tensor& t : result.outputs)
    if (t.defined() && t.requires_grad()) roots.push_back(t), seeds.push_back(at::zeros_like(t));
  if (!roots.empty()) torch::autograd::backward(roots, seeds);
}

Traffic on_the_line(const Traffic& a, const Traffic& b, double at) {
  Traffic all = a;
  for (auto& [kind, count] : all) {
    const auto other = b.find(kind);
    if (other == b.end()) continue;
    count.bytes += std::llround(at * double(other->second.bytes - count.bytes));
  }
  return all;
}

}  // namespace

UnitProbe::Sample UnitProbe::run(std::int64_t unit, Engine& engine, RehearsedMesh& mesh,
                                 MemoryCount& memory, const Batch& batch, const Forms& in) {
  const Written written;
  const MemoryCount::For computing(Purpose::computing);
  const bool trains = unit >= engine.parameters().first_trainable();
  const Batch prepared = engine.layout().prepare(batch);
  const Visit visit{unit, 0, Phase::forward, -1, false};
  TensorList inputs;
  for (const TensorForm& form : in) {
    inputs.push_back(at::zeros(form.sizes, form.type));
    if (unit > engine.parameters().first_trainable() && inputs.back().is_floating_point())
      inputs.back().set_requires_grad(true);
  }
  Sample sample;
  sample.tokens = tokens_of(batch);
  UnitFigures& f = sample.figures;
  const auto start_at = [&] {
    memory.forget_peak();
    return memory.now().total();
  };
  {
    const at::NoGradGuard no_grad;
    Traffic* const before = mesh.count_in(trains ? nullptr : &f.forward_calls);
    const std::int64_t start = start_at();
    const VisitResult result = engine.visit(visit, inputs, prepared);
    f.outputs = bytes_of(result.outputs, inputs);
    f.forward_plain = std::max<std::int64_t>(memory.peak().total() - start - f.outputs, 0);
    for (const at::Tensor& t : result.outputs) {
      f.sent += t.defined();
      if (t.defined()) sample.outputs.push_back({t.sizes().vec(), t.scalar_type()});
    }
    mesh.count_in(before);
  }
  if (!trains) return sample;
  Traffic* const before = mesh.count_in(&f.forward_calls);
  const std::int64_t start = start_at();
  VisitResult result = engine.visit(visit, inputs, prepared);
  const std::int64_t after = memory.now().total();
  f.kept = std::max<std::int64_t>(after - start - f.outputs, 0);
  f.forward = memory.peak().total() - after;
  mesh.count_in(&f.backward_calls);
  const std::int64_t begin = start_at();
  run_backward(result);
  f.backward = std::max<std::int64_t>(memory.peak().total() - begin - f.outputs, 0);
  engine.parameters().take_gradients(unit);
  mesh.count_in(before);
  return sample;
}

std::string UnitProbe::kind_of(std::int64_t unit, const Engine& engine,
                               const std::vector<Forms>& in) const {
  std::string text = stem(engine.unit_names()[std::size_t(unit)]) +
                     (unit > engine.parameters().first_trainable()    ? " "
                      : unit == engine.parameters().first_trainable() ? " first "
                                                                      : " frozen ");
  const auto& infos = engine.parameters().infos();
  for (std::size_t i = 0; i != infos.size(); ++i) {
    if (std::find(infos[i].units.begin(), infos[i].units.end(), unit) == infos[i].units.end())
      continue;
    const at::Tensor& leaf = engine.parameters().leaves()[i];
    text += text_of_form(leaf.sizes(), leaf.scalar_type()) + (infos[i].trainable ? "t" : "f");
  }
  for (const Forms& forms : in)
    for (const TensorForm& form : forms) text += text_of_form(form.sizes, form.type);
  return text;
}

const UnitFigures& UnitProbe::measure(std::int64_t unit, Engine& engine, RehearsedMesh& mesh,
                                      MemoryCount& memory) {
  std::vector<Forms> in(batches_.size());
  if (unit > 0) in = kinds_.at(kind_of_.at(unit - 1)).outputs;
  const std::string name = kind_of(unit, engine, in);
  kind_of_[unit] = name;
  const auto [kind, is_new] = kinds_.try_emplace(name);
  if (!is_new) return kind->second.figures;
  std::vector<Sample> samples;
  for (std::size_t i = 0; i != batches_.size(); ++i) {
    samples.push_back(run(unit, engine, mesh, memory, batches_[i], in[i]));
    kind->second.outputs.push_back(samples.back().outputs);
  }
  kind->second.figures =
      samples.size() == 1 ? samples[0].figures : on_the_line(samples[0], samples[1]);
  return kind->second.figures;
}

UnitFigures UnitProbe::on_the_line(const Sample& a, const Sample& b) const {
  const double at = (tokens_ - a.tokens) / (b.tokens - a.tokens);
  UnitFigures f = a.figures;
  for (const auto member : {&UnitFigures::outputs, &UnitFigures::kept, &UnitFigures::forward,
                            &UnitFigures::forward_plain, &UnitFigures::backward})
    f.*member += std::llround(at * double(b.figures.*member - f.*member));
  f.forward_calls = host::on_the_line(f.forward_calls, b.figures.forward_calls, at);
  f.backward_calls = host::on_the_line(f.backward_calls, b.figures.backward_calls, at);
  return f;
}

namespace {

// The first sequence, `length` positions of it.
Batch shortened(const Batch& batch, std::int64_t length) {
  const std::int64_t whole = batch["tokens"].size(1);
  Batch all;
  for (const Batch::Entry& e : batch.entries()) {
    at::Tensor t = e.value.narrow(0, 0, 1);
    if (t.dim() > 1 && t.size(1) == whole) t = t.narrow(1, 0, length);
    all.set(e.name, t.contiguous());
  }
  return all;
}

// Of one micro-batch in the unit that needs most.
double operations_of(const Batch& batch, const Engine& engine) {
  const auto& infos = engine.parameters().infos();
  std::vector<double> elements(std::size_t(engine.layout().model_units()));
  for (std::size_t i = 0; i != infos.size(); ++i) {
    const at::Tensor& leaf = engine.parameters().leaves()[i];
    for (const std::int64_t unit : infos[i].units)
      if (leaf.defined()) elements[std::size_t(unit)] += double(leaf.numel());
  }
  double attention = 0;
  for (const Layer& layer : engine.chains().layers())
    if (layer.op == "mortise.op/attention/1")
      attention = std::max(attention, double(layer.attributes.get<std::int64_t>("width", 0)));
  const double tokens = tokens_of(batch), length = double(batch["tokens"].size(1));
  return tokens *
         (6 * *std::max_element(elements.begin(), elements.end()) + 12 * length * attention);
}

}  // namespace

std::vector<Batch> probe_batches(const Batch& batch, const Engine& engine,
                                 double affordable_operations) {
  if (operations_of(batch, engine) <= affordable_operations) return {batch};
  std::int64_t together = 1;  // ranks that may share the positions of a sequence
  for (const MeshAxis& a : engine.layout().axes())
    if (a.name != "pp" && a.name != "dp" && a.name != "dp_replicate") together *= a.size;
  const std::int64_t length = std::lcm<std::int64_t>(8, 2 * together);
  if (2 * length >= batch["tokens"].size(1)) return {batch};
  return {shortened(batch, length), shortened(batch, 2 * length)};
}

}  // namespace mortise::host
