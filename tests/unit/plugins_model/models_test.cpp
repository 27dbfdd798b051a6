#include <ATen/Context.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>

#include "checks.hpp"
#include "golden.hpp"
#include "loaded.hpp"
#include "model_run.hpp"

namespace mortise::tests {
namespace {

Settings sizes(int kv_heads = 0) {
  Settings s;
  s.set("width", 16).set("layers", 2).set("heads", 4).set("hidden", 20);
  s.set("vocabulary_size", 23).set("context_length", 9);
  if (kv_heads != 0) s.set("kv_heads", kv_heads);
  return s;
}
struct Case {
  std::string golden;
  const char* key;
  Settings settings;
};
std::vector<Case> golden_cases() {
  return {
      {"llama_tied", "llama", sizes()},
      {"llama_tied_grouped_norm_bias", "llama",
       sizes(2).set("qk_norm", true).set("bias", true).set("rope_theta", 500.0)},
      {"gpt2_gelu_tanh_learned_bias_tied", "gpt2", sizes()},
      {"gpt2_swiglu_rotary_tied", "gpt2",
       sizes().set("positions", "rotary").set("activation", "swiglu").set("bias", false)},
  };
}

at::Tensor weight_of(const ParameterInfo& p) { return golden_weight(p.name, p.shape); }

Batch batch_of(const Golden& golden) {
  Batch batch;
  for (const char* name : {"tokens", "targets", "positions"})
    batch.set(name, golden.at(name).view({2, 9}));
  return batch;
}

}  // namespace

TEST_CASE("models: a unit that is visited twice gives the same bits") {
  for (const Case& c : golden_cases()) {
    CAPTURE(c.golden);
    const Golden golden = read_golden(c.golden);
    const Batch batch = batch_of(golden);
    Batch other = batch_of(golden);
    other.set("positions", batch["positions"].add(3).remainder(9));
    const Loaded<Model> model(c.key, c.settings);
    ModelRun run(*model, weight_of);
    TensorList hidden = run.visit(0, {}, batch);
    const at::Tensor first = run.visit(1, hidden, batch)[0];
    const at::Tensor elsewhere = run.visit(1, hidden, other)[0];
    CHECK(at::equal(run.visit(1, hidden, batch)[0], first));
    const bool rotary = c.golden == "gpt2_swiglu_rotary_tied" || c.golden.starts_with("llama");
    CHECK(at::equal(elsewhere, first) != rotary);
  }
}

TEST_CASE("models: in inference they end with logits") {
  const Golden golden = read_golden("llama_tied");
  const Loaded<Model> model("llama", sizes());
  ModelRun run(*model, weight_of);
  CHECK(run.forward(batch_of(golden)).sizes() == at::IntArrayRef({2, 9, 23}));
}

TEST_CASE("models: the lists say what a host needs") {
  const Loaded<Model> model("llama", sizes(2).set("qk_norm", true));
  CHECK(model->units() ==
        Names{"model.embed_tokens", "model.layers.0", "model.layers.1", "lm_head"});
  const auto parameters = model->parameters();
  CHECK(parameters[0].units == std::vector<std::int64_t>{0, 3});
  CHECK(parameters[0].role == Role::embedding);
  CHECK(parameters[0].depth == -1);
  const auto find = [&](std::string_view name) {
    for (const auto& p : parameters)
      if (p.name == name) return p;
    FAIL("no parameter ", name);
    return ParameterInfo{};
  };
  const ParameterInfo key = find("model.layers.1.self_attn.k_proj.weight");
  CHECK(key.shape == Shape{8, 16});
  CHECK(key.depth == 1);
  CHECK(key.units == std::vector<std::int64_t>{2});
  CHECK(find("model.layers.0.self_attn.q_norm.weight").shape == Shape{4});
  CHECK(find("model.norm.weight").role == Role::norm);
  std::size_t partial = 0;
  for (const PlacementRule& rule : model->placements())
    partial += rule.placement == Placement::replicate_partial ? 1 : 0;
  CHECK(partial == 2);
}

TEST_CASE("models: an untied head is cut along the vocabulary") {
  for (const char* key : {"llama", "gpt2"}) {
    const Loaded<Model> model(key, sizes().set("tied", false));
    const ParameterInfo head = model->parameters().back();
    CHECK(head.name == "lm_head.weight");
    CHECK(head.role == Role::head);
    CHECK((head.axes == std::vector<Axis>{Axis::vocabulary, Axis::in}));
  }
}

TEST_CASE("models: the inner width follows from the width") {
  struct Row {
    const char* key;
    const char* activation;
    const char* name;
    std::int64_t hidden;
  };
  for (const Row& row : {Row{"llama", nullptr, "model.layers.0.mlp.up_proj.weight", 768},
                         Row{"gpt2", "gelu", "transformer.h.0.mlp.c_fc.weight", 1152},
                         Row{"gpt2", "swiglu", "transformer.h.0.mlp.c_gate.weight", 768}}) {
    Settings s;
    s.set("width", 288).set("layers", 1).set("heads", 4).set("vocabulary_size", 10);
    s.set("context_length", 8);
    if (row.activation != nullptr) s.set("activation", row.activation);
    const Loaded<Model> model(row.key, s);
    bool found = false;
    for (const ParameterInfo& p : model->parameters())
      if (p.name == row.name) found = p.shape == Shape{row.hidden, 288};
    CHECK(found);
  }
}

TEST_CASE("models: dropout is declared only where it is used, and drops") {
  for (const char* key : {"llama", "gpt2"}) {
    CAPTURE(key);
    const auto dropouts = [&](double probability) {
      const Loaded<Model> model(key, sizes().set("dropout", probability));
      std::size_t n = 0;
      for (const Layer& layer : model->layers()) n += layer.op == "mortise.op/dropout/1" ? 1 : 0;
      return n;
    };
    CHECK(dropouts(0.0) == 0);
    CHECK(dropouts(0.5) == (std::string_view(key) == "llama" ? 4 : 5));
    const Loaded<Model> model(key, sizes().set("dropout", 0.5));
    ModelRun run(*model, weight_of);
    const Batch batch = batch_of(read_golden("llama_tied"));
    at::manual_seed(1);
    const at::Tensor a = run.forward(batch);
    const at::Tensor b = run.forward(batch);
    at::manual_seed(1);
    CHECK(at::equal(a, run.forward(batch)));
    CHECK_FALSE(at::equal(a, b));
  }
}

TEST_CASE("models: sizes that do not fit are refused by name") {
  struct Row {
    const char* key;
    int width, heads, kv_heads, vocabulary;
    const char* part;
  };
  for (const Row& row :
       {Row{"llama", 18, 4, 0, 7, "heads must divide width: 4 and 18"},
        Row{"llama", 16, 4, 3, 7, "kv_heads must divide heads: 3 and 4"},
        Row{"llama", 12, 4, 0, 7, "even head width"}, Row{"llama", 16, 4, 0, 0, "vocabulary_size"},
        Row{"gpt2", 18, 4, 0, 7, "heads must divide width: 4 and 18"},
        Row{"gpt2", 16, 4, 0, 7, "context_length"}}) {
    Settings s;
    s.set("width", row.width).set("layers", 1).set("heads", row.heads);
    if (row.kv_heads != 0) s.set("kv_heads", row.kv_heads);
    s.set("vocabulary_size", row.vocabulary);
    try {
      const Loaded<Model> model(row.key, s);
      FAIL("was accepted: ", row.part);
    } catch (const Error& e) {
      CHECK(e.code() == ErrorCode::bad_settings);
      CHECK(std::string(e.what()).find(row.part) != std::string::npos);
    }
  }
}

}  // namespace mortise::tests
