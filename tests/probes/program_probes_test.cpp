// Probes in runs of the program. With buffers, an average of the weights and whole matrices a run
// goes on where it was saved, on any number of ranks: every saved tensor to the last bit.

#include "host/checkpoint/box.hpp"
#include "host/checkpoint/checkpoint_reader.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

const Words kProbes =
    Words{"--plugin", fixture_plugin("probe_fp8").string(),
          "--plugin", fixture_plugin("probe_ema").string(),
          "--plugin", fixture_plugin("probe_muon").string()} +
    sets({"layer_ops=[{use: fp8, layers: \"*_proj\"}]", "observers=[{use: ema, decay: 0.75}]",
          "optimizer=[{use: muon, parameters: [matrix], learning_rate: 0.01}, {use: adamw, "
          "learning_rate: 1e-3}]",
          "parallel=[{use: fsdp, reduction: micro_batch}]", "run.steps=6", "checkpoint.every=3",
          "checkpoint.keep=9"});

// Names of the tensors that differ between two checkpoints, or are in one only.
Words differences(const std::string& a, const std::string& b) {
  const auto x = mortise::host::Checkpoint::open(a), y = mortise::host::Checkpoint::open(b);
  Words all;
  for (const auto& [name, tensor] : x.tensors())
    if (!y.has(name) || !x.read(name, mortise::host::whole_box(tensor.shape))
                             .equal(y.read(name, mortise::host::whole_box(tensor.shape))))
      all.push_back(name);
  for (const auto& [name, tensor] : y.tensors())
    if (!x.has(name)) all.push_back(name);
  return all;
}

}  // namespace

TEST_CASE("probes: a run goes on at other ranks with its buffers, averages and whole matrices") {
  const Trial trial;
  const std::string last = "/tiny/checkpoints/step_00000006";
  check_done(trial.run(2, kProbes + sets({"run.folder=whole"})));
  const auto saved = mortise::host::Checkpoint::open(trial.path("whole" + last)).tensors();
  for (const char* name :
       {"model.layers.0.mlp.up_proj.input_max", "observers.0/model.embed_tokens.weight",
        "observers.0/steps", "muon.momentum/model.layers.0.mlp.up_proj.weight"})
    CHECK(saved.count(name) == 1);
  for (const int ranks : {1, 3}) {
    CAPTURE(ranks);
    const std::string folder = "on" + std::to_string(ranks);
    std::filesystem::copy(trial.path("whole"), trial.path(folder),
                          std::filesystem::copy_options::recursive);
    std::filesystem::remove_all(trial.path(folder + last));
    check_done(trial.run(ranks, Words{"--resume", "3"} + kProbes + sets({"run.folder=" + folder})));
    CHECK(differences(trial.path("whole" + last), trial.path(folder + last)) == Words{});
  }
}

TEST_CASE("probes: a loss over all ranks is refused where a rank has nothing to give") {
  const Trial trial;
  const Words contrastive = Words{"--plugin", fixture_plugin("probe_contrastive").string()} +
                            sets({"loss=contrastive", "run.steps=2"});
  check_done(trial.run(2, contrastive + sets({"run.folder=fits"})));
  check_refused(trial.run(4, contrastive), 2,
                {"the loss computes over all ranks at once", "they have 0 to 1 sequences",
                 "micro_batch * 4 ranks"});
  CHECK(!trial.has("runs/tiny"));
}

TEST_CASE("probes: generate writes the same text with and without the cache") {
  const Trial trial;
  check_done(trial.run(1, sets({"run.steps=5"})));
  const Words generate{"generate", "runs/tiny", "--prompt", "the ", "--tokens", "40"};
  const Outcome cached = trial.mortise(generate),
                plain = trial.mortise(generate + Words{"--cache", "false"});
  check_done(cached);
  CHECK(cached.out == plain.out);
  CHECK(cached.out.size() > 20);
}
