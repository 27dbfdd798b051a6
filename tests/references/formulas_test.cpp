// Every learning-rate schedule and every initialiser of the tree, by name, against its formula.

#include <ATen/ops/empty.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <mortise/model/initializer.hpp>
#include <mortise/model/model.hpp>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "tests/unit/plugins_model/checks.hpp"
#include "tests/unit/plugins_model/loaded.hpp"
#include "tests/unit/sdk/elf_note.hpp"

namespace mortise::tests {
namespace {

// Keys of the components in the built plugins that have this main interface.
std::set<std::string> keys_of(const std::string& interface_id) {
  std::set<std::string> keys;
  for (const auto& file : std::filesystem::directory_iterator(MORTISE_PLUGIN_DIR))
    for (const std::string& text : manifests_in(file.path().string())) {
      const nlohmann::json manifest = nlohmann::json::parse(text);
      for (const auto& component : manifest["components"])
        if (component["interfaces"][0] == interface_id) keys.insert(component["key"]);
    }
  return keys;
}
template <class F>
std::set<std::string> names_of(const std::map<std::string, F>& formulas) {
  std::set<std::string> names;
  for (const auto& [name, formula] : formulas) names.insert(name);
  return names;
}

// Schedules: factor at step s of T, with w steps of warm-up and the floor f.
using Factor = double (*)(double s, double T, double w, double f);
const std::map<std::string, Factor> kFactors = {
    {"constant", [](double s, double T, double w,
                    double) { return w == 0 ? 1 : std::min(1.0, std::min(s + 1, T) / w); }},
    {"linear",
     [](double s, double T, double w, double f) {
       if (s >= T) return f;
       return s < w ? (s + 1) / w : 1 - (1 - f) * (s - w) / (T - w);
     }},
    {"warmup_cosine", [](double s, double T, double w, double f) {
       if (s >= T) return f;
       if (s < w) return (s + 1) / w;
       return (1 + f) / 2 + (1 - f) / 2 * std::cos(std::numbers::pi * (s - w) / (T - w));
     }}};

// Initialisers: standard deviation of a weight of a model with kLayers layers.
constexpr int kLayers = 4;
bool joins_residual(const std::string& name) {
  for (const char* layer : {".o_proj.", ".down_proj.", ".c_proj."})
    if (name.find(layer) != std::string::npos) return true;
  return false;
}
using Deviation = double (*)(const std::string& name, double std);
const std::map<std::string, Deviation> kDeviations = {
    {"plain_normal", [](const std::string&, double std) { return std; }},
    {"scaled_normal", [](const std::string& name, double std) {
       return joins_residual(name) ? std / std::sqrt(2.0 * kLayers) : std;
     }}};

// Moments within five of their own standard errors.
void check_normal(const at::Tensor& values, double deviation) {
  double mean = 0, square = 0, fourth = 0;
  const double n = double(values.numel());
  for (std::int64_t i = 0; i != values.numel(); ++i) {
    const double x = double(values.const_data_ptr<float>()[i]) / deviation;
    mean += x / n, square += x * x / n, fourth += x * x * x * x / n;
  }
  CHECK(std::abs(mean) < 5 / std::sqrt(n));
  CHECK(std::abs(square - 1) < 5 * std::sqrt(2 / n));
  CHECK(std::abs(fourth - 3) < 5 * std::sqrt(96 / n));
}

void check_constant(const at::Tensor& values, float wanted) {
  bool all = true;
  for (std::int64_t i = 0; i != values.numel(); ++i)
    all = all && values.const_data_ptr<float>()[i] == wanted;
  CHECK(all);
}

void check_first_values(Initializer& initializer, const ParameterInfo& p, double deviation) {
  CAPTURE(p.name);
  const Box box{Shape(p.shape.size(), 0), p.shape};
  const at::Tensor master = at::empty({(box.count() + 15) / 16 * 16}, at::kFloat);
  initializer.fill({.box = box, .master = master}, p, 7);
  const at::Tensor values = master.narrow(0, 0, box.count());
  if (p.role == Role::norm)
    check_constant(values, 1);
  else if (p.role == Role::bias)
    check_constant(values, 0);
  else
    check_normal(values, deviation);
}

}  // namespace

TEST_CASE("references: every schedule and every initialiser of the tree has a formula here") {
  CHECK(keys_of(Remote<LearningRateSchedule>::id) == names_of(kFactors));
  CHECK(keys_of(Remote<Initializer>::id) == names_of(kDeviations));
}

TEST_CASE("references: schedules equal their formulas at every step") {
  constexpr int kTotal = 137;
  for (const auto& [name, formula] : kFactors)
    for (const int warmup : {0, 1, 20, 136}) {
      CAPTURE(name);
      CAPTURE(warmup);
      Settings settings;
      settings.set("warmup", steps(warmup));
      const double floor = name == "constant" ? 1 : 0.15;
      if (name != "constant") settings.set("final", floor);
      const Loaded<LearningRateSchedule> schedule(name.c_str(), settings);
      for (int step = 0; step != kTotal + 10; ++step) {
        CAPTURE(step);
        const double wanted = formula(step, kTotal, warmup, floor);
        CHECK(schedule->factor({.step = step, .total_steps = kTotal}) ==
              doctest::Approx(wanted).epsilon(1e-12));
      }
    }
}

TEST_CASE("references: first values of every parameter of the models have the formula's spread") {
  for (const char* key : {"llama", "gpt2"}) {
    Settings settings;
    settings.set("width", 64).set("layers", kLayers).set("heads", 4).set("vocabulary_size", 200);
    settings.set("context_length", 32).set("bias", true).set("tied", false);
    const Loaded<Model> model(key, settings);
    for (const auto& [name, deviation] : kDeviations) {
      CAPTURE(name);
      Settings spread;
      spread.set("std", 0.05);
      if (name == "scaled_normal") spread.set("layers", kLayers);
      const Loaded<Initializer> initializer(name.c_str(), spread);
      for (const ParameterInfo& p : model->parameters())
        check_first_values(*initializer, p, deviation(p.name, 0.05));
    }
  }
}

}  // namespace mortise::tests
