// Models, losses and initializers of our own, held to the contracts of their kinds.

#include "sdk/conformance/model/initializer_contract.hpp"
#include "sdk/conformance/model/layer_op_contract.hpp"
#include "sdk/conformance/model/loss_contract.hpp"
#include "sdk/conformance/model/model_contract.hpp"
#include "tests/contract/plugin_contract.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/no_failures.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;

constexpr std::int64_t kVocabulary = 11, kLength = 6;

struct Row {
  const char* key;
  SettingList extra;
};

SettingList sizes(const SettingList& extra) {
  SettingList all{{"width", 8},
                  {"layers", 2},
                  {"heads", 2},
                  {"hidden", 6},
                  {"vocabulary_size", kVocabulary},
                  {"context_length", kLength}};
  all.insert(all.end(), extra.begin(), extra.end());
  return all;
}

std::vector<Row> rows() {
  return {{"llama", {}},
          {"llama", {{"kv_heads", 1}, {"qk_norm", true}, {"bias", true}, {"tied", false}}},
          {"llama", {{"dropout", 0.3}}},
          {"gpt2", {}},
          {"gpt2", {{"activation", "gelu"}, {"bias", false}, {"tied", false}}},
          {"gpt2", {{"positions", "rotary"}, {"activation", "swiglu"}, {"dropout", 0.3}}}};
}

}  // namespace

TEST_CASE("llama, gpt2: keep the contract of a model, in float64 and in float32") {
  const Batch batch = conformance::token_batch(kVocabulary, 2, kLength);
  for (const Row& row : rows())
    for (const bool wide : {true, false}) {
      CAPTURE(std::string(row.key));
      CAPTURE(row.extra.empty() ? std::string("defaults") : row.extra.front().first);
      CAPTURE(wide);
      const LoadedComponent component(row.key, row.key, sizes(row.extra));
      conformance::ModelCase c{batch};
      if (!wide) c.type = at::kFloat, c.differences = conformance::kFloat32Differences;
      Report report;
      check_both_ways<Model>(component, report, [&](Model& model) {
        conformance::check_model_contract(model, c, report);
      });
      check_no_failures(report);
    }
}

TEST_CASE("cross_entropy: keeps the contract of a loss") {
  const LoadedComponent component("cross_entropy", "cross_entropy");
  for (const std::int64_t vocabulary : {2, 13, 300}) {
    CAPTURE(vocabulary);
    Report report;
    check_both_ways<Loss>(component, report, [&](Loss& loss) {
      conformance::check_loss_contract(loss, report, {.vocabulary = vocabulary});
    });
    check_no_failures(report);
  }
}

TEST_CASE("kv_cache: keeps the contract of a layer operation") {
  conformance::LayerOpCase c;
  c.layer = {"attention", "mortise.op/attention/1", {}, {{"causal", true}}};
  c.inputs = {conformance::sample_values("query", {2, 4, 3, 5}).to(at::kFloat),
              conformance::sample_values("key", {2, 2, 3, 5}).to(at::kFloat).requires_grad_(true),
              conformance::sample_values("value", {2, 2, 3, 5}).to(at::kFloat)};
  const LoadedComponent component("kv_cache", "kv_cache");
  Report report;
  check_both_ways<LayerOp>(
      component, report, [&](LayerOp& op) { conformance::check_layer_op_contract(op, c, report); });
  check_no_failures(report);
}

TEST_CASE("scaled_normal, plain_normal: keep the contract of an initializer") {
  for (const Row& row : {Row{"scaled_normal", {{"layers", 3}}}, Row{"plain_normal", {}}}) {
    CAPTURE(std::string(row.key));
    const LoadedComponent component(row.key, row.key, row.extra);
    Report report;
    check_both_ways<Initializer>(component, report, [&](Initializer& initializer) {
      conformance::check_initializer_contract(initializer, report);
    });
    check_no_failures(report);
  }
}
