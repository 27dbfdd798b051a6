// Mistakes of a user: one message, the documented exit code, nothing half-written.

#include <doctest/doctest.h>

#include "tests/end_to_end/port.hpp"
#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

// What a mistake must lead to, alone and on ranks.
struct Mistake {
  std::string what;
  Words arguments;  // after `mortise run`
  int exit;
  Words parts;
};

void check_mistakes(const std::vector<Mistake>& mistakes, const Trial& trial) {
  for (const Mistake& m : mistakes) {
    CAPTURE(m.what);
    check_refused(trial.mortise(Words{"run"} + m.arguments), m.exit, m.parts);
    CHECK(trial.names("runs").empty());
  }
}

Words file_with(const Words& assignments) { return Words{"run.yaml"} + sets(assignments); }

// The same as packed tokens, whose side file is there or not.
Words packed(const Trial& trial, bool side_file) {
  const Outcome outcome =
      trial.mortise({"data", "pack", "words.txt", "--tokenizer", "byte", "-o", "words.pbin"});
  CHECK(outcome.exit == 0);
  if (!side_file) std::filesystem::remove(trial.path("words.pbin.json"));
  return sets({"data.train={use: packed_tokens, files: words.pbin}", "model.vocabulary_size=100"});
}

}  // namespace

TEST_CASE("bad input: a command line that makes no sense") {
  const Trial trial;
  const std::vector<Mistake> rows = {
      {"no file", {}, 2, {"which file", "mortise run --help"}},
      {"a file that is not there", {"nowhere.yaml"}, 2, {"nowhere.yaml"}},
      {"no ranks", {"run.yaml", "-n", "0"}, 2, {"-n 0", "1"}},
      {"no number of ranks", {"run.yaml", "-n", "two"}, 2, {"-n two"}},
      {"an unknown option", {"run.yaml", "--fly"}, 2, {"--fly", "mortise run --help"}},
      {"two files", {"run.yaml", "run.yaml"}, 2, {"mortise run --help"}},
  };
  check_mistakes(rows, trial);
  check_refused(trial.mortise({"fly"}), 2, {"fly", "run", "check", "generate"});
  check_refused(trial.mortise({"data", "fly"}), 2, {"data", "data pack"});
  check_refused(trial.mortise({"config"}), 2, {"mortise config", "show FILE", "schema", "docs"});
  check_refused(trial.mortise({"plugin", "fly"}), 2, {"fly", "list", "inspect"});
}

TEST_CASE("bad input: settings") {
  const Trial trial;
  const std::vector<Mistake> rows = {
      {"a key",
       file_with({"optimizer.weigth_decay=0.1"}),
       2,
       {"optimizer.weigth_decay", "weight_decay"}},
      {"a value",
       file_with({"optimizer.learning_rate=fast"}),
       2,
       {"optimizer.learning_rate", "fast", "number"}},
      {"a component", file_with({"model.use=lama"}), 2, {"lama", "llama"}},
      {"a plugin", file_with({"model.use=org.nobody.models:llama"}), 2, {"org.nobody.models"}},
      {"a section", file_with({"modle=llama"}), 2, {"modle", "model"}},
      {"a device that is not there",
       file_with({"run.device=cuda"}),
       2,
       {"run.device", "cuda", "cpu"}},
      {"a micro-batch larger than the step",
       file_with({"batch.micro_batch=7"}),
       2,
       {"batch.micro_batch", "7", "6"}},
      {"a plugin's own rule",
       file_with({"model.heads=5"}),
       2,
       {"--set: ", "model.heads", "llama", "width", "5", "32"}},
      {"a mesh for other ranks", file_with({"mesh={dp: 3}"}), 2, {"mesh", "3", "1", "-n 3"}},
  };
  check_mistakes(rows, trial);
}

TEST_CASE("bad input: on ranks it is told once, by the program that was started") {
  const Trial trial;
  const std::vector<Mistake> rows = {
      {"a mesh for other ranks",
       file_with({"mesh={dp: 3}"}) + Words{"-n", "2"},
       2,
       {"mesh", "3", "2"}},
      {"a device", file_with({"run.device=cuda"}) + Words{"-n", "2"}, 2, {"run.device"}},
      {"a micro-batch", file_with({"batch.micro_batch=7"}) + Words{"-n", "2"}, 2, {"micro_batch"}},
      {"a plugin's own rule", file_with({"model.heads=5"}) + Words{"-n", "3"}, 2, {"heads"}},
      {"no data",
       file_with({"data.train.files=nothing.txt"}) + Words{"-n", "2"},
       4,
       {"nothing.txt"}},
  };
  check_mistakes(rows, trial);
  for (const Mistake& m : rows)
    CHECK_FALSE(contains(trial.mortise(Words{"run"} + m.arguments).err, "[rank "));
}

TEST_CASE("bad input: data") {
  const Trial trial;
  trial.write("empty.txt", "");
  trial.write("short.txt", "too short");
  const std::vector<Mistake> rows = {
      {"no file",
       file_with({"data.train.files=nothing.txt"}),
       4,
       {"--set: ", "data.train.files", "nothing.txt"}},
      {"an empty file",
       file_with({"data.train.files=empty.txt"}),
       4,
       {"empty.txt", "no documents"}},
      {"less than one sequence",
       file_with({"data.train.files=short.txt", "eval=null"}),
       4,
       {"short.txt", "10 tokens", "17"}},
      {"a broken packed file",
       file_with({"data.train={use: packed_tokens, files: words.txt}"}),
       4,
       {"words.txt"}},
      {"a data set that cannot be held out of",
       file_with({"data.train.files=short.txt"}),
       4,
       {"short.txt", "17"}},
  };
  check_mistakes(rows, trial);
}

TEST_CASE("bad input: an id beyond the vocabulary, before the first step where a side file tells") {
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    const Trial trial;
    const Outcome outcome = trial.run(ranks, packed(trial, true));
    check_refused(outcome, 4, {"words.pbin", "256", "100", "vocabulary_size"});
    CHECK_FALSE(contains(outcome.said(), "eval"));
    CHECK(trial.names("runs").empty());
  }
}

TEST_CASE("bad input: an id beyond the vocabulary, else at the batch that holds it") {
  const Trial trial;
  const Words without_side_file = packed(trial, false);
  const Outcome evaluated = trial.run(1, without_side_file);
  check_refused(evaluated, 4, {"words.pbin, tokens 5400..5416", "100", "vocabulary_size"});
  CHECK(trial.names("runs").empty());

  // The first sequences hold small letters only from a line on; a capital A is 65.
  trial.write("words.txt", std::string(200, 'A') + std::string(200, 'z'));
  trial.mortise({"data", "pack", "words.txt", "--tokenizer", "byte", "-o", "later.pbin"});
  std::filesystem::remove(trial.path("later.pbin.json"));
  const Words in_order = sets({"data.train={use: packed_tokens, files: later.pbin}", "eval=null",
                               "model.vocabulary_size=100", "data.shuffle=false"});
  const Outcome trained = trial.run(1, in_order);
  check_refused(trained, 4, {"after 2 steps", "later.pbin, tokens 192..208", "id 122", "100"});
  CHECK(trial.metrics().back()["step"] == 2);
}

TEST_CASE("bad input: a run folder that cannot be made") {
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    const Trial trial;
    trial.write("runs", "a file in the way");
    check_refused(trial.run(ranks), 7, {"runs/tiny", "run.folder"});
    CHECK(trial.read("runs") == "a file in the way");
  }
}

TEST_CASE("bad input: a port that is taken, under a launcher's variables") {
  const Trial trial;
  const TakenPort port;
  const Outcome outcome =
      trial.mortise({"run", "run.yaml"}, {{"RANK", "0"},
                                          {"WORLD_SIZE", "2"},
                                          {"MASTER_ADDR", "127.0.0.1"},
                                          {"MASTER_PORT", std::to_string(port.number())}});
  check_refused(outcome, 6, {"127.0.0.1:" + std::to_string(port.number()), "taken", "MASTER_PORT"});
  CHECK_FALSE(trial.has("runs"));
}

TEST_CASE("bad input: a launcher's variables that are incomplete, and a rank that never comes") {
  const Trial trial;
  check_refused(trial.mortise({"run", "run.yaml"}, {{"RANK", "1"}}), 6, {"WORLD_SIZE", "RANK"});
  check_refused(trial.mortise({"run", "run.yaml"}, {{"RANK", "2"}, {"WORLD_SIZE", "2"}}), 6,
                {"RANK", "2", "WORLD_SIZE"});
  const Words impatient = Words{"run", "run.yaml"} + sets({"run.timeout=1s"});
  Environment lonely = {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}};
  lonely["MASTER_PORT"] = "1";
  check_refused(trial.mortise(impatient, lonely), 6, {"127.0.0.1:1", "rank 0"});
  CHECK_FALSE(trial.has("runs"));
}
