// The same file once more: goes on, has finished, or is another run (design: running a file again).

#include <doctest/doctest.h>

#include <csignal>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

const std::string kAccept = "to go on with these settings:  ";
const std::string kNew = "to start another run:          ";
const std::string kName = "or under a name of yours:      ";

// Everything that stands in a folder, with the contents of what is no checkpoint.
std::string contents(const Trial& trial, const std::string& folder) {
  std::string all;
  for (const std::string& name : trial.names(folder)) {
    const std::string path = folder + "/" + name;
    all += path + "\n";
    all +=
        std::filesystem::is_directory(trial.path(path)) ? contents(trial, path) : trial.read(path);
  }
  return all;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// A run of ten steps as a kill at step 6 leaves it, with a checkpoint at step 4.
void leave_at_step_six(const Trial& trial) {
  check_done(trial.run(1));
  trial.copy_run("runs/tiny", "copy", 4);
  std::filesystem::remove_all(trial.path("runs/tiny"));
  std::filesystem::rename(trial.path("copy"), trial.path("runs/tiny"));
}

std::vector<nlohmann::json> changes(const Trial& trial, const std::string& run = "runs/tiny") {
  std::vector<nlohmann::json> all;
  if (!trial.has(run + "/changes.jsonl")) return all;
  std::istringstream lines(trial.read(run + "/changes.jsonl"));
  for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

}  // namespace

TEST_CASE("running again: the same command goes on and says so in its first line") {
  const Trial trial;
  leave_at_step_six(trial);
  const Outcome outcome = trial.run(2);
  check_done(outcome);
  CHECK(first_line(outcome.err) ==
        "goes on at step 4 of 10, from runs/tiny/checkpoints/step_00000004");
  CHECK(contains(outcome.out, "2 ranks"));
  CHECK(trial.metrics().back()["step"] == 10);
  CHECK(changes(trial).empty());
  CHECK(contains(trial.read("runs/tiny/run.log"), "goes on at step 4 of 10"));
}

TEST_CASE("running again: a finished run says so, returns 0 and changes nothing") {
  const Trial trial;
  check_done(trial.run(1));
  const std::string log = trial.read("runs/tiny/run.log");
  std::filesystem::remove(trial.path("runs/tiny/run.log"));
  const std::string before = contents(trial, "runs");
  for (const Words& more : {Words{}, Words{"--resume", "latest"}, Words{"--resume", "10"}}) {
    const Outcome again = trial.run(2, more);
    check_done(again);
    CHECK(first_line(again.err) ==
          "finished already: 10 of 10 steps are done; to train longer:  mortise run run.yaml -n 2 "
          "--set run.steps=MORE");
    std::filesystem::remove(trial.path("runs/tiny/run.log"));
    CHECK(contents(trial, "runs") == before);
  }
  std::string command = rest_of_line(trial.run(1).err, "to train longer:  ");
  command.replace(command.find("MORE"), 4, "12");
  check_done(trial.typed(command));
  CHECK(trial.metrics().back()["step"] == 12);
}

TEST_CASE(
    "running again: other settings are refused, all of them named, with three ways out that work") {
  const Trial trial;
  leave_at_step_six(trial);
  const std::string before = contents(trial, "runs");
  const Words other = sets({"run.seed=8", "gradients={clip_norm: 0.5}", "batch.sequences=12",
                            "optimizer.weight_decay=0.3", "log.every=2"});
  const Outcome refused = trial.run(2, other);
  check_refused(
      refused, 2,
      {"C0307", "runs/tiny", "run.seed: 7 there, 8 here", "gradients.clip_norm: 1 there, 0.5 here",
       "batch.sequences: 6 there, 12 here", "optimizer.adamw.weight_decay: 0.1 there, 0.3 here"});
  CHECK_FALSE(contains(refused.err, "log.every: "));  // it may change
  CHECK_FALSE(contains(refused.err, "data.seed: "));  // it follows from run.seed
  CHECK(contents(trial, "runs") == before);
  CHECK(contains(rest_of_line(refused.err, kName), "--set run.name=NAME"));

  check_done(trial.typed(rest_of_line(refused.err, kNew)));
  CHECK(trial.names("runs") == Words{"tiny", "tiny-2"});
  CHECK(trial.metrics("runs/tiny-2").back()["step"] == 10);
  check_done(trial.typed(rest_of_line(refused.err, kNew)));
  CHECK(trial.names("runs") == Words{"tiny", "tiny-2", "tiny-3"});

  // One of the keys alone is not enough.
  check_refused(trial.run(2, other + Words{"--accept", "run.seed"}), 2, {"gradients.clip_norm"});
  const Outcome accepted = trial.typed(rest_of_line(refused.err, kAccept));
  check_done(accepted);
  CHECK(contains(accepted.err, "accepted: run.seed: 7 before, 8 now"));
  CHECK(trial.metrics().back()["step"] == 10);
  // From now on these are its settings.
  const Outcome again = trial.run(2, other);
  check_done(again);
  CHECK(contains(again.err, "finished already"));
  check_refused(trial.run(2), 2, {"run.seed: 8 there, 7 here"});
}

TEST_CASE("running again: what is accepted is recorded, earlier settings stay") {
  const Trial trial;
  leave_at_step_six(trial);
  const std::string first = trial.read("runs/tiny/config.yaml");
  check_done(trial.run(1, Words{"--accept", "run.seed"} +
                              sets({"run.seed=8", "optimizer.learning_rate=2e-2", "log.every=2"})));
  const auto lines = changes(trial);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["step"] == 4);
  CHECK(lines[0]["from"] == "runs/tiny/checkpoints/step_00000004");
  nlohmann::json expected = {
      {{"key", "run.seed"}, {"before", "7"}, {"after", "8"}, {"rule", "accepted"}},
      {{"key", "optimizer.adamw.learning_rate"},
       {"before", "0.01"},
       {"after", "0.02"},
       {"rule", "noted"}},
      {{"key", "log.every"}, {"before", "1"}, {"after", "2"}, {"rule", "free"}}};
  CHECK(lines[0]["changes"] == expected);
  CHECK(trial.read("runs/tiny/" + lines[0]["config_before"].get<std::string>()) == first);
  CHECK(contains(trial.read("runs/tiny/config.yaml"), "seed: 8  #"));
  const auto state = [&](const std::string& step) {
    return nlohmann::json::parse(
        trial.read("runs/tiny/checkpoints/step_000000" + step + "/state.json"));
  };
  CHECK(state("04")["config"] == first);
  CHECK(state("04")["changes"].empty());
  CHECK(state("08")["config"] == trial.read("runs/tiny/config.yaml"));
  CHECK(state("08")["changes"].size() == 1);
  CHECK(state("08")["changes"][0]["changes"] == expected);
}

TEST_CASE("running again: what is free to change, what is told, what must be accepted") {
  enum Rule { free, told, refused };
  struct Row {
    const char* setting;
    Rule rule;
    std::string key;
  };
  const std::vector<Row> rows = {
      {"parallel=[{use: ddp, reduction: micro_batch}]", free, ""},
      {"parallel.fsdp.reshard=false", free, ""},
      {"batch.micro_batch=2", free, ""},
      {"recompute=all", free, ""},
      {"eval.every=2", free, ""},
      {"eval.tokens=48", free, ""},
      {"checkpoint={every: 3, keep: 2}", free, ""},
      {"run.timeout=50s", free, ""},
      {"run.early_stop={metric: eval/held_out/loss}", free, ""},
      {"gradients.max_skipped=3", free, ""},
      {"log.sinks=[]", free, ""},
      {"schedule={use: warmup_cosine}", told, "schedule: constant before, warmup_cosine now"},
      {"schedule.warmup=3", told, "schedule.warmup: 0 before, 3 now"},
      {"optimizer.learning_rate=1e-3", told, "optimizer.adamw.learning_rate: 0.01 before"},
      {"run.steps=12", told, "run.steps: 10 before, 12 now"},
      {"run={name: tiny, seed: 7, tokens: 2000, steps: null}", told,
       "run.tokens: not set before, 2000 now"},
      {"run.steps=9", refused, "run.steps"},
      {"eval.hold_out=20%", refused, "eval.hold_out"},
      {"data.shuffle=false", refused, "data.shuffle"},
      {"data.seed=3", refused, "data.seed"},
      {"initializer={use: plain_normal}", refused, "initializer"},
      {"optimizer.betas=[0.9, 0.9]", refused, "optimizer.adamw.betas"},
      {"model.dropout=0.1", refused, "model.dropout"}};
  const Trial trial;
  leave_at_step_six(trial);
  for (const Row& row : rows) {
    CAPTURE(row.setting);
    std::filesystem::remove_all(trial.path("one"));
    trial.copy_run("runs/tiny", "one/tiny", 4);
    const Outcome outcome =
        trial.run(1, sets({"run.folder=one", row.setting, "run.stop_after=1ms"}));
    if (row.rule == refused) {
      check_refused(outcome, 2, {"C0307", "  " + row.key + ": ", "--accept " + row.key});
      continue;
    }
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 75);
    CHECK(contains(outcome.err, "changed: ") == (row.rule == told));
    if (row.rule == told) CHECK(contains(outcome.err, "changed: " + row.key));
  }
}

TEST_CASE("running again: other data under the same name is refused") {
  const Trial trial;
  leave_at_step_six(trial);
  trial.write("words.txt", trial.read("words.txt").substr(0, 3000));
  check_refused(trial.run(1), 2, {"data.train: 337 samples there, 168 samples here"});
  const Outcome accepted = trial.run(1, {"--accept", "data.train"});
  check_done(accepted);
  CHECK(contains(accepted.err, "accepted: data.train: 337 samples before"));
}

TEST_CASE("running again: what is no run is not touched, what was never begun is begun") {
  const Trial trial;
  trial.write("runs/tiny/notes.txt", "mine");
  check_refused(trial.run(1), 2, {"C0311", "runs/tiny", "config.yaml", "--set run.name=NAME"});
  check_refused(trial.run(2, {"--resume", "latest"}), 2, {"C0311"});
  CHECK(trial.names("runs/tiny") == Words{"notes.txt"});
  std::filesystem::remove(trial.path("runs/tiny/notes.txt"));
  std::filesystem::create_directories(trial.path("runs/tiny/checkpoints"));
  check_done(trial.run(1));
  trial.write("runs/file", "mine");
  check_refused(trial.run(1, sets({"run.name=file"})), 2, {"C0311"});
  CHECK(trial.read("runs/file") == "mine");
}

TEST_CASE("running again: a run that is being trained is not trained twice at once") {
  const Trial trial;
  Program first(trial.start(Words{"run", "run.yaml"} + sets({"run.steps=1M"})));
  REQUIRE(first.wait_until_it_says("saved step 4"));
  check_refused(trial.run(1, sets({"run.steps=1M"})), 2, {"C0312", "runs/tiny"});
  const Outcome other = trial.run(1, {"--new"});
  check_done(other);
  CHECK(trial.has("runs/tiny-2/config.yaml"));
  first.send(SIGTERM);
  CHECK(first.wait().exit == 75);
}

TEST_CASE("running again: options that make no sense are refused") {
  const Trial trial;
  check_refused(trial.run(1, {"--new", "--resume", "4"}), 2, {"C0905"});
  check_done(trial.run(1));
  check_refused(trial.run(1, {"--accept", "modle.layers"}), 2, {"C0313", "modle.layers"});
  check_done(trial.run(1, {"--accept", "model.layers"}));  // it does not differ
}
