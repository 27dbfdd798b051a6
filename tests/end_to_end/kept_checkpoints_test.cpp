// Which checkpoints are there after a run, and what ends one.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

struct Kept {
  int keep = 2, keep_every = 0, best = 0;
};

// What the settings name, told once more: after each save the newest, the multiples, the best.
Words expected_after(const std::vector<int>& saves, const std::map<int, double>& losses,
                     const Kept& kept) {
  std::set<int> there;
  for (const int save : saves) {
    there.insert(save);
    std::vector<int> newest(there.rbegin(), there.rend());
    std::set<int> stay(
        newest.begin(),
        newest.begin() + std::min<std::ptrdiff_t>(kept.keep, std::ptrdiff_t(newest.size())));
    for (const int step : there)
      if (kept.keep_every > 0 && step % kept.keep_every == 0) stay.insert(step);
    std::vector<int> ranked;
    for (const int step : there)
      if (losses.count(step) != 0) ranked.push_back(step);
    std::sort(ranked.begin(), ranked.end(),
              [&](int a, int b) { return losses.at(a) < losses.at(b); });
    for (int i = 0; i != kept.best && i != int(ranked.size()); ++i)
      stay.insert(ranked[std::size_t(i)]);
    there = stay;
  }
  Words names;
  for (const int step : there) {
    std::string number = std::to_string(step);
    names.push_back("step_" + std::string(8 - number.size(), '0') + number);
  }
  return names;
}

std::map<int, double> held_out(const Trial& trial, const std::string& run) {
  std::map<int, double> losses;
  for (const nlohmann::json& record : trial.metrics(run))
    if (record.contains("eval/held_out/loss"))
      losses[record["step"].get<int>()] = record["eval/held_out/loss"].get<double>();
  return losses;
}

std::string as_setting(const Kept& kept, int every) {
  std::string text =
      "checkpoint={every: " + std::to_string(every) + ", keep: " + std::to_string(kept.keep);
  if (kept.keep_every > 0) text += ", keep_every: " + std::to_string(kept.keep_every);
  if (kept.best > 0)
    text += ", best: {metric: eval/held_out/loss, keep: " + std::to_string(kept.best) + "}";
  return text + "}";
}

const std::string kStop =
    "run.early_stop={metric: eval/held_out/loss, patience: 5, min_delta: 100}";

}  // namespace

TEST_CASE(
    "kept checkpoints: exactly those that keep, keep_every and best name, with a stop between or "
    "not") {
  struct Row {
    Kept kept;
    int every, eval_every, stop;  // a stop after that step; 0: none
  };
  bool best_mattered = false;
  const std::vector<Row> rows = {{{1, 0, 0}, 3, 5, 0},  {{2, 6, 0}, 2, 5, 0}, {{1, 0, 1}, 2, 2, 0},
                                 {{1, 5, 2}, 1, 1, 0},  {{2, 4, 1}, 2, 3, 0}, {{1, 0, 2}, 2, 2, 7},
                                 {{3, 5, 1}, 1, 1, 11}, {{2, 8, 0}, 4, 5, 9}};
  for (const Row& row : rows) {
    CAPTURE(as_setting(row.kept, row.every));
    CAPTURE(row.eval_every);
    CAPTURE(row.stop);
    const Trial trial;
    // So fast that the loss rises again and again.
    const Words words = sets({as_setting(row.kept, row.every), "optimizer.learning_rate=0.3",
                              "eval.every=" + std::to_string(row.eval_every)});
    std::vector<int> saves;
    for (int step = 1; step <= 20; ++step)
      if (step % row.every == 0 || step == row.stop || step == 20) saves.push_back(step);
    if (row.stop > 0)
      check_done(trial.run(2, words + sets({"run.steps=" + std::to_string(row.stop)})));
    check_done(trial.run(1, words + sets({"run.steps=20"})));
    const Words there = trial.names("runs/tiny/checkpoints");
    CHECK(there == expected_after(saves, held_out(trial, "runs/tiny"), row.kept));
    Kept without = row.kept;
    without.best = 0;
    best_mattered = best_mattered || there != expected_after(saves, {}, without);
  }
  CHECK(best_mattered);
}

TEST_CASE(
    "kept checkpoints: stop_after saves, returns 75, and the run goes on as if it had not "
    "stopped") {
  const Trial trial;
  const Words endless = sets({"run.steps=1M", "eval.every=1000", "checkpoint=null"});
  const auto stop_after = [&](const std::string& time, const std::string& folder, int ranks) {
    const Outcome outcome =
        trial.run(ranks, endless + sets({"run.stop_after=" + time, "run.folder=" + folder}));
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 75);
    const std::string step = rest_of_line(outcome.out, "stopped at step ");
    const Words there = trial.names(folder + "/tiny/checkpoints");
    REQUIRE_FALSE(there.empty());
    CHECK(std::stoi(there.back().substr(5)) == std::stoi(step));
    CHECK(trial.metrics(folder + "/tiny").back()["step"] == std::stoi(step));
    CHECK(rest_of_line(outcome.out, "to go on:  ").rfind("mortise run run.yaml -n ", 0) == 0);
  };
  stop_after("1s", "unbroken", 1);
  stop_after("200ms", "stopped", 2);
  stop_after("200ms", "stopped", 1);
  const std::vector<double> once = trial.series("train/loss", "unbroken/tiny"),
                            twice = trial.series("train/loss", "stopped/tiny");
  const std::size_t both = std::min(once.size(), twice.size());
  REQUIRE(both >= 10);
  CHECK(std::equal(once.begin(), once.begin() + std::ptrdiff_t(both), twice.begin()));
}

TEST_CASE("kept checkpoints: early_stop saves, says why and returns 0, across a stop too") {
  for (const bool stops : {false, true}) {
    CAPTURE(stops);
    const Trial trial;
    const Words words = sets({kStop, "eval.every=1", "run.steps=50"});
    // The first evaluation is the best; of five that are not better three come before the stop.
    if (stops) check_done(trial.run(2, words + sets({"run.steps=3"})));
    const Outcome outcome = trial.run(1, words);
    check_done(outcome);
    CHECK(contains(outcome.out, "ends early: eval/held_out/loss has not fallen for 5 evaluations"));
    CHECK(contains(outcome.out, "done: 5 steps"));
    CHECK(trial.metrics().back()["step"] == 5);
    CHECK(trial.names("runs/tiny/checkpoints").back() == "step_00000005");

    const Outcome again = trial.run(1, words);
    check_done(again);
    CHECK(again.err.rfind("finished already: it ended early at step 5 of 50", 0) == 0);
    const Outcome patient = trial.run(1, words + sets({"run.early_stop.patience=7"}));
    check_done(patient);
    CHECK(contains(patient.out, "done: 7 steps"));
  }
}
