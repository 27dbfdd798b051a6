// The same numbers on every layout: token means, gradient norms, tied weights, odd sizes.

#include <doctest/doctest.h>

#include <cmath>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

// Eight sequences of which very different numbers of targets count, in their own order.
const Words kRagged = Words{"--plugin", fixture_plugin("ragged").string()} +
                      sets({"data.train={use: ragged}", "data.shuffle=false", "tokenizer=null",
                            "model.vocabulary_size=97", "eval=null", "run.steps=4",
                            "batch.sequences=8", "checkpoint=null"});

bool close(const std::vector<double>& some, const std::vector<double>& others) {
  if (some.size() != others.size() || some.empty()) return false;
  for (std::size_t i = 0; i != some.size(); ++i)
    if (!(std::abs(some[i] - others[i]) <= 1e-6 * std::abs(others[i]))) return false;
  return true;
}

struct Layout {
  int ranks, micro_batch;
};

std::string run_on(const Trial& trial, const Layout& layout, const Words& more) {
  const std::string folder =
      "r" + std::to_string(layout.ranks) + "m" + std::to_string(layout.micro_batch);
  std::filesystem::remove_all(trial.path(folder));
  check_done(trial.run(layout.ranks,
                       more + sets({"run.folder=" + folder,
                                    "batch.micro_batch=" + std::to_string(layout.micro_batch)})));
  return folder + "/tiny";
}

// Loss and norm of every step are those of one rank with the whole step in one micro-batch.
void check_same_on(const std::vector<Layout>& layouts, const Words& more) {
  const Trial trial;
  const std::string whole = run_on(trial, {1, 8}, more);
  for (const Layout& layout : layouts) {
    CAPTURE(layout.ranks);
    CAPTURE(layout.micro_batch);
    const std::string run = run_on(trial, layout, more);
    for (const char* name : {"train/loss", "train/grad_norm"}) {
      CAPTURE(name);
      CHECK(close(trial.series(name, run), trial.series(name, whole)));
    }
  }
}

// Numbers in all tensors of one group of a checkpoint.
std::int64_t numbers_saved(const Trial& trial, const std::string& checkpoint,
                           const std::string& group) {
  std::int64_t all = 0;
  const auto index = nlohmann::json::parse(trial.read(checkpoint + "/index.json"));
  for (const auto& [name, tensor] : index["tensors"].items()) {
    if (tensor["group"] != group) continue;
    std::int64_t count = 1;
    for (const auto& size : tensor["shape"]) count *= size.get<std::int64_t>();
    all += count;
  }
  return all;
}

}  // namespace

TEST_CASE("numerics: the loss is a token mean whatever the micro-batches (R-01)") {
  check_same_on({{1, 4}, {1, 1}, {1, 3}}, kRagged);
}

TEST_CASE("numerics: ranks with nearly no counted targets change nothing (R-02)") {
  check_same_on({{2, 1}, {4, 1}, {2, 4}, {3, 2}}, kRagged);
}

TEST_CASE("numerics: the logged loss is what evaluation gives for the same samples and weights") {
  const Trial trial;
  check_done(trial.run(1, kRagged + sets({"eval={sets: {same: {use: ragged, samples: 8}}}",
                                          "batch.micro_batch=3"})));
  CHECK(trial.series("train/loss").front() ==
        doctest::Approx(trial.series("eval/same/loss").front()).epsilon(1e-6));
}

TEST_CASE(
    "numerics: one gradient norm on all layouts, p = 2 and infinity, clipped or logged (R-03)") {
  struct Row {
    const char *norm, *clip;
    Layout layout;
  };
  for (const Row& row : {Row{"2", "0.1", {4, 2}}, Row{"2", "null", {2, 1}},
                         Row{"inf", "0.1", {2, 2}}, Row{"inf", "null", {3, 1}}}) {
    CAPTURE(row.norm);
    CAPTURE(row.clip);
    check_same_on({row.layout}, kRagged + sets({std::string("gradients.norm=") + row.norm,
                                                std::string("gradients.clip_norm=") + row.clip}));
  }
}

TEST_CASE("numerics: clipping acts when it is on, logging alone changes nothing") {
  const Trial trial;
  const auto with = [&](const std::string& folder, const Words& assignments) {
    check_done(trial.run(1, kRagged + sets({"run.folder=" + folder}) + sets(assignments)));
    return folder + "/tiny";
  };
  const std::string logged = with("a", {"gradients=null"});
  const std::string far = with("b", {"gradients={clip_norm: 1e6}"});
  const std::string infinite = with("c", {"gradients={norm: inf}"});
  const std::string clipped = with("d", {"gradients={clip_norm: 1e-6}", "optimizer.epsilon=1e-4"});
  CHECK(trial.numbers(logged) == trial.numbers(far));
  CHECK(trial.series("train/loss", logged) == trial.series("train/loss", infinite));
  CHECK(trial.series("train/grad_norm", infinite)[0] < trial.series("train/grad_norm", logged)[0]);
  CHECK(trial.series("train/grad_norm", clipped)[0] == trial.series("train/grad_norm", logged)[0]);
  CHECK(trial.series("train/loss", clipped)[0] == trial.series("train/loss", logged)[0]);
  CHECK(trial.series("train/loss", clipped)[1] != trial.series("train/loss", logged)[1]);
}

TEST_CASE(
    "numerics: tied weights are one parameter on every layout and through a checkpoint (R-06)") {
  const Words tied = sets({"model.tied=true", "run.steps=6"});
  const Trial trial;
  check_done(trial.run(1, tied + sets({"run.folder=one"})));
  check_done(trial.run(2, tied + sets({"run.folder=two"})));
  check_done(trial.run(1, sets({"model.tied=false", "run.steps=1", "run.folder=apart"})));
  CHECK(trial.numbers("one/tiny") == trial.numbers("two/tiny"));
  const std::string last = "/tiny/checkpoints/step_00000006";
  const std::int64_t together = numbers_saved(trial, "two" + last, "weights");
  CHECK(together == numbers_saved(trial, "one" + last, "weights"));
  CHECK(numbers_saved(trial, "apart/tiny/checkpoints/step_00000001", "weights") ==
        together + 257 * 32);
  CHECK(numbers_saved(trial, "two" + last, "optimizer") >= 2 * together);

  std::filesystem::remove_all(trial.path("two" + last));
  const Words again = Words{"--resume", "4"};
  check_done(trial.run(1, again + tied + sets({"run.folder=two"})));
  const std::vector<double> losses = trial.series("train/loss", "two/tiny");
  const std::vector<double> once = trial.series("train/loss", "one/tiny");
  CHECK(std::vector<double>(losses.end() - 2, losses.end()) ==
        std::vector<double>(once.end() - 2, once.end()));
  const Outcome untied =
      trial.run(2, again + Words{"--accept", "model.tied"} +
                       sets({"model.tied=false", "run.folder=one"}) + sets({"run.steps=8"}));
  check_refused(untied, 7, {"missing", "lm_head.weight"});
}

TEST_CASE("numerics: sizes that no number of ranks divides, empty shards among them (R-07)") {
  const Trial trial;
  const Words odd =
      sets({"model={use: gpt2, width: 6, layers: 1, heads: 2, hidden: 5, vocabulary_size: 257}",
            "run.steps=6", "checkpoint.every=3", "checkpoint.keep=9"});
  check_done(trial.run(1, odd + sets({"run.folder=on1"})));
  const Words alone = trial.numbers("on1/tiny");
  const std::string last = "/tiny/checkpoints/step_00000006";
  for (int ranks = 2; ranks <= 4; ++ranks) {
    CAPTURE(ranks);
    const std::string folder = "on" + std::to_string(ranks);
    check_done(trial.run(ranks, odd + sets({"run.folder=" + folder})));
    CHECK(trial.numbers(folder + "/tiny") == alone);
    CHECK(numbers_saved(trial, folder + last, "weights") ==
          numbers_saved(trial, "on1" + last, "weights"));
    CHECK(numbers_saved(trial, folder + last, "optimizer") ==
          numbers_saved(trial, "on1" + last, "optimizer"));
    std::filesystem::remove_all(trial.path(folder + last));
    check_done(
        trial.run(6 - ranks, Words{"--resume", "latest"} + odd + sets({"run.folder=" + folder})));
    const Words resumed = trial.numbers(folder + "/tiny", 6);
    CHECK(Words(resumed.end() - 4, resumed.end()) == Words(alone.end() - 4, alone.end()));
  }
}
