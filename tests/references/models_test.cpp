// Models, loss, optimizer and owner from their plugin files, through the engine, against Python
// PyTorch (tests/golden/make_model_golden.py): logits, ten losses of AdamW, every gradient of the
// first step, AdamW's slots after the last.

#include <ATen/ops/zeros.h>

#include <mortise/optim/optimizer.hpp>

#include "host/checkpoint/box.hpp"
#include "host/distributed/mesh.hpp"
#include "host/engine/engine.hpp"
#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_model/checks.hpp"
#include "tests/unit/plugins_model/golden.hpp"

namespace mortise::tests {
namespace {

constexpr double kTolerance = 1e-5;

struct Case {
  std::string golden;
  const char* model;
  SettingList switches;
};

// Every pair of values of any two switches occurs.
std::vector<Case> cases() {
  return {
      {"llama_tied", "llama", {}},
      {"llama_tied_grouped_norm_bias",
       "llama",
       {{"kv_heads", 2}, {"qk_norm", true}, {"bias", true}, {"rope_theta", 500.0}}},
      {"llama_grouped", "llama", {{"tied", false}, {"kv_heads", 2}}},
      {"llama_norm", "llama", {{"tied", false}, {"qk_norm", true}, {"rope_theta", 500.0}}},
      {"llama_bias", "llama", {{"tied", false}, {"bias", true}}},
      {"gpt2_gelu_tanh_learned_bias_tied", "gpt2", {}},
      {"gpt2_gelu_tanh_rotary",
       "gpt2",
       {{"positions", "rotary"}, {"bias", false}, {"tied", false}}},
      {"gpt2_gelu_learned_tied", "gpt2", {{"activation", "gelu"}, {"bias", false}}},
      {"gpt2_gelu_rotary_bias",
       "gpt2",
       {{"activation", "gelu"}, {"positions", "rotary"}, {"tied", false}}},
      {"gpt2_swiglu_learned_bias", "gpt2", {{"activation", "swiglu"}, {"tied", false}}},
      {"gpt2_swiglu_rotary_tied",
       "gpt2",
       {{"activation", "swiglu"}, {"positions", "rotary"}, {"bias", false}}},
  };
}

SettingList with_sizes(const SettingList& switches) {
  SettingList all = {{"width", 16},  {"layers", 2},           {"heads", 4},
                     {"hidden", 20}, {"vocabulary_size", 23}, {"context_length", 9}};
  all.insert(all.end(), switches.begin(), switches.end());
  return all;
}

// Sequences [first, first + count) of the golden batch.
Batch batch_of(const Golden& golden, std::int64_t first, std::int64_t count) {
  Batch batch;
  for (const char* name : {"tokens", "targets", "positions"})
    batch.set(name, golden.at(name).view({2, 9}).narrow(0, first, count));
  return batch;
}

class GoldenInitializer final : public Initializer {
 public:
  void fill(const Piece& piece, const ParameterInfo& info, std::uint64_t) override {
    at::Tensor master = piece.master;
    host::copy_common(host::whole_box(info.shape), golden_weight(info.name, info.shape).flatten(),
                      piece.box, master);
  }
};

// A program of one rank, made of the plugins that a run would take.
class Program {
 public:
  explicit Program(const Case& c)
      : mesh_({{"dp", 1}}, {}, nullptr, std::chrono::milliseconds(60000)),
        model_(c.model, c.model, with_sizes(c.switches)),
        loss_("cross_entropy", "cross_entropy"),
        adamw_("adamw", "adamw"),
        owner_("fsdp", "fsdp", {}, {{}, 0, {{Remote<Mesh>::id, kit::object_of<Mesh>(mesh_)}}}),
        engine({model, loss, owner, {}, {{&optimizer, "adamw", {}, 1e-3}}, {}, {mesh_}, tasks_},
               {}) {
    GoldenInitializer initializer;
    engine.parameters().initialize(initializer, 1);
  }

 private:
  host::HostMesh mesh_;
  host::WeightGradientQueue tasks_;
  LoadedComponent model_, loss_, adamw_, owner_;
  Remote<Model> model = model_.as<Model>();
  Remote<Loss> loss = loss_.as<Loss>();
  Remote<Optimizer> optimizer = adamw_.as<Optimizer>();
  Remote<Owner> owner = owner_.as<Owner>();

 public:
  host::Engine engine;
};

// The whole of a parameter, from one value of each of its pieces.
class Wholes {
 public:
  explicit Wholes(const host::Parameters& parameters) : parameters_(parameters) {}
  void add(const Piece& piece, const at::Tensor& value) {
    const ParameterInfo& info = parameters_.infos()[std::size_t(piece.parameter)];
    at::Tensor& whole = all[info.name];
    const Box box = host::whole_box(info.shape);
    if (!whole.defined()) whole = at::zeros({box.count()});
    host::copy_common(piece.box, value, box, whole);
  }
  std::map<std::string, at::Tensor> all;

 private:
  const host::Parameters& parameters_;
};

// Each of the golden numbers that begins with `kind`, within the tolerance of its own norm. What
// softmax does not see, such as the bias of a key, is rounding alone on both sides.
void check_all(const std::string& kind, const Wholes& ours, const Golden& golden) {
  double largest = 0;
  std::size_t count = 0;
  for (const auto& [name, value] : golden)
    if (name.starts_with(kind)) largest = std::max(largest, value.norm().item<double>()), ++count;
  CHECK(ours.all.size() == count);
  for (const auto& [name, value] : ours.all) {
    CAPTURE(kind);
    CAPTURE(name);
    const at::Tensor& wanted = golden.at(kind + name);
    if (wanted.norm().item<double>() < 1e-7 * largest)
      CHECK(value.norm().item<double>() < 1e-7 * largest);
    else
      CHECK(distance(value, wanted) < kTolerance);
  }
}

double train(host::Engine& engine, const Golden& golden, std::int64_t step) {
  const host::StepInput input{step, 2, {batch_of(golden, 0, 1), batch_of(golden, 1, 1)}};
  return host::read(engine.train(input)).loss;
}

}  // namespace

TEST_CASE("references: logits, losses, gradients and slots equal PyTorch's") {
  for (const Case& c : cases()) {
    CAPTURE(c.golden);
    const Golden golden = read_golden(c.golden);
    Program program(c);
    host::Engine& engine = program.engine;
    CHECK(distance(engine.infer(batch_of(golden, 0, 2)), golden.at("logits")) < kTolerance);
    for (std::int64_t step = 0; step != 10; ++step) {
      CAPTURE(step);
      const double loss = train(engine, golden, step);
      CHECK(std::abs(loss / golden.at("losses")[step].item<double>() - 1) < kTolerance);
      if (step != 0) continue;
      Wholes gradients(engine.parameters());
      for (const Piece& p : engine.parameters().pieces()) gradients.add(p, p.gradient);
      check_all("gradient:", gradients, golden);
    }
    if (!golden.count("exp_avg:model.norm.weight")) continue;
    for (const std::string slot : {"exp_avg", "exp_avg_sq"}) {
      Wholes slots(engine.parameters());
      for (const host::SlotState& s : engine.optimizers().slots())
        if (s.slot.name == slot) slots.add(s.piece, s.value);
      check_all(slot + ":", slots, golden);
    }
  }
}

TEST_CASE("references: the golden numbers come from PyTorch 2.11") {
  for (const Case& c : cases()) {
    const at::Tensor versions = read_golden(c.golden).at("versions");
    const std::string text(static_cast<const char*>(versions.const_data_ptr()),
                           std::size_t(versions.numel()));
    CHECK(text.starts_with("torch 2.11."));
  }
}

}  // namespace mortise::tests
