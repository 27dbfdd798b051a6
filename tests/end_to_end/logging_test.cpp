// What a run writes and says (L-01, L-02).

#include <doctest/doctest.h>

#include <sstream>
#include <vector>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

// Every line is there as a whole, and only once.
void check_lines_once(const std::string& text, const std::string& start, int from, int to) {
  for (int n = from; n <= to; ++n) {
    CAPTURE(n);
    CHECK(count("\n" + text, "\n" + start + std::to_string(n) + "/") == 1);
  }
}

}  // namespace

TEST_CASE(
    "logging: numbers that are not finite leave every line strict JSON and are counted (L-01)") {
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    const Trial trial;
    const Outcome outcome = trial.run(
        ranks,
        sets({"optimizer.learning_rate=1e9", "gradients={max_skipped: 3}", "run.steps=50",
              "checkpoint.every=1", "eval.every=1", "schedule={use: warmup_cosine, warmup: 1}"}));
    check_refused(outcome, 5,
                  {"gradients.max_skipped: 3", "4 steps in a row", "runs/tiny/checkpoints"});
    CHECK(contains(rest_of_line(trial.read("runs/tiny/run.log"), " error rank 0 "), "T0101"));
    const std::vector<nlohmann::json> metrics = trial.metrics();  // throws for a line that is not
    CHECK(metrics.size() > 6);
    const nlohmann::json& last = metrics.back();
    CHECK(last["step"].get<int>() == count(outcome.err, " is skipped") + 1);
    CHECK(count(outcome.err, "is skipped") == 4);
    CHECK(last.contains("train/learning_rate"));
    CHECK(last["train/grad_norm"].is_null());
    CHECK(last["non_finite"]["train/grad_norm"] == "nan");
    CHECK(last.contains("perf/step_ms"));

    const Outcome more =
        trial.run(1, sets({"optimizer.learning_rate=0", "run.steps=60", "run.stop_after=1ms"}));
    CHECK(more.exit == 75);  // the last good checkpoint is there and loads
  }
}

TEST_CASE("logging: with four ranks each progress line stands once (L-02)") {
  const Trial trial;
  const Outcome outcome = trial.run(4, sets({"run.steps=20"}));
  check_done(outcome);
  check_lines_once(outcome.out, "step ", 1, 20);
  CHECK(count(outcome.out, "eval held_out") == 5);  // at 0, 5, 10, 15 and 20
  CHECK(outcome.err == "");
}

TEST_CASE("logging: an error of one rank carries its number, progress stays whole (L-02)") {
  const Trial trial;
  const Words broken =
      Words{"--plugin", fixture_plugin("ragged").string()} +
      sets({"data.train={use: ragged, broken: 14}", "data.shuffle=false", "tokenizer=null",
            "model.vocabulary_size=97", "eval=null", "batch.sequences=4", "run.steps=20"});
  const Outcome outcome = trial.run(4, broken);
  check_refused(outcome, 4, {"rank 2: ", "after 3 steps", "ragged, sample 14 is broken"});
  std::istringstream lines(outcome.err);
  for (std::string line; std::getline(lines, line);) CHECK(line.rfind("rank 2: ", 0) == 0);
  check_lines_once(outcome.out, "step ", 1, 3);
  const std::string log = trial.read("runs/tiny/run.log");
  CHECK(contains(log, " error rank 2 "));
  CHECK(contains(rest_of_line(log, " error rank 2 "), "ragged, sample 14 is broken"));
  const Outcome again = trial.run(1, broken);  // nothing was saved: it begins once more
  check_refused(again, 4, {"begins at step 0: runs/tiny has no checkpoint yet", "sample 14"});
  CHECK(trial.metrics().back()["step"] == 3);
}

TEST_CASE("logging: the parts of a step add up to it on every rank count, and give its mfu") {
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    const Trial trial;
    check_done(trial.run(ranks, sets({"run.peak_flops=1e10", "model.hidden=64"})));
    int steps = 0;
    for (const nlohmann::json& record : trial.metrics()) {
      if (!record.contains("train/loss")) continue;
      ++steps;
      double sum = 0;
      for (const char* part :
           {"forward", "backward", "communication", "optimizer", "data_wait", "host"}) {
        const double spent = record[std::string("perf/") + part + "_ms"].get<double>();
        CHECK(spent >= 0);
        if (part != std::string("data_wait")) CHECK((spent > 0 || ranks == 1));
        sum += spent;
      }
      const double step_ms = record["perf/step_ms"].get<double>();
      CHECK(sum == doctest::Approx(step_ms).epsilon(1e-9));
      CHECK((record["perf/communication_ms"].get<double>() == 0) == (ranks == 1));
      // 6 N + 12 L H Q T, N = 2 (4 x 32 x 32 + 3 x 32 x 64) + 257 x 32, for 6 x 16 tokens
      const double flops = 96 * (6 * (2 * (4096 + 6144) + 8224) + 12 * 2 * 32 * 16);
      CHECK(record["perf/mfu"].get<double>() ==
            doctest::Approx(flops / (step_ms * 1e-3) / (1e10 * ranks)).epsilon(1e-9));
    }
    CHECK(steps == 10);
  }
}

TEST_CASE("logging: the peak of memory is the run's own, not its launcher's") {
  constexpr std::size_t kLarge = std::size_t(1) << 30;
  std::vector<char> held(kLarge, 1);  // this process is larger than the run will be
  const Trial trial;
  check_done(trial.run(1, sets({"run.steps=2", "model={width: 1024, heads: 8}"})));
  // 5.0M parameters a layer and 0.3M of embeddings, four times 4 bytes, are the least it can hold.
  const double least = 10.3e6 * 4 * 4;
  CHECK(trial.series("memory/peak_bytes").back() > least);
  CHECK(trial.series("memory/peak_bytes").back() < double(kLarge));
  CHECK(held[kLarge / 2] == 1);
}
