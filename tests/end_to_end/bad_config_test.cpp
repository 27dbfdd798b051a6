// Settings that other stacks read wrongly (C-01 to C-07), through the program: exit code, place and
// caret, in the host's sections and in those of plugins.

#include <doctest/doctest.h>

#include <regex>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

// The run file with one line, that of a section, replaced.
void write_with(const Trial& trial, const std::string& section, const std::string& line) {
  const std::regex old("(^|\n)" + section + ":[^\n]*");
  trial.write("run.yaml", std::regex_replace(trial.read("run.yaml"), old, "$1" + line,
                                             std::regex_constants::format_first_only));
}

// What `config show` says about a setting, without where it comes from.
std::string shown(const Outcome& outcome, const std::string& key) {
  const std::string rest = rest_of_line(outcome.out, "\n  " + key + ": ");
  return rest.substr(0, rest.find("  #"));
}

struct Row {
  std::string section, line;
  Words parts;
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.line);
    const Trial trial;
    write_with(trial, row.section, row.line);
    check_refused(trial.mortise({"run", "run.yaml"}), 2, row.parts);
    CHECK(trial.names() == Words{"run.yaml", "words.txt"});
  }
}

}  // namespace

TEST_CASE("bad config: a rate in every usual form is the same number (C-01)") {
  for (const char* form : {"1e-2", "1E-2", "1.e-2", ".01", "+0.01", "0.01"}) {
    CAPTURE(form);
    const Trial trial;
    write_with(trial, "optimizer",
               std::string("optimizer: {use: adamw, learning_rate: ") + form + "}");
    const Outcome outcome = trial.mortise({"config", "show", "run.yaml"});
    check_done(outcome);
    CHECK(contains(outcome.out, "learning_rate: 0.01"));
  }
}

TEST_CASE("bad config: integers are exact and in range, numbers finite (C-01)") {
  check_rows({
      {"run", "run: {name: tiny, steps: 2.7}", {"run.yaml:3:", "run.steps", "2.7", "^~~"}},
      {"run", "run: {name: tiny, steps: -1}", {"run.yaml:3:", "run.steps", "-1"}},
      {"model",
       "model: {use: llama, width: 32, layers: 2.5, heads: 4}",
       {"run.yaml:9:", "model.layers", "2.5", "^~~"}},
      {"model",
       "model: {use: llama, width: 1e400, layers: 2, heads: 4}",
       {"run.yaml:9:", "model.width", "1e400"}},
      {"optimizer",
       "optimizer: {use: adamw, learning_rate: 3e-4x}",
       {"run.yaml:10:", "optimizer.learning_rate", "3e-4x", "^~~~~"}},
      {"optimizer",
       "optimizer: {use: adamw, learning_rate: .nan}",
       {"run.yaml:10:", "optimizer.learning_rate", ".nan"}},
  });
  const Trial trial;
  const Outcome outcome = trial.mortise(
      {"config", "show", "run.yaml", "--set", "run.steps=1e3", "--set", "batch.sequences=1_000"});
  CHECK(shown(outcome, "steps") == "1000");
  CHECK(shown(outcome, "sequences") == "1000");
}

TEST_CASE("bad config: words stay text, and a bool is true or false (C-02)") {
  for (const char* name : {"no", "NO", "off", "y"}) {
    const Trial trial;
    check_done(trial.mortise(
        {"run", "run.yaml", "--set", std::string("run.name=") + name, "--set", "run.steps=1"}));
    CHECK(trial.names("runs") == Words{name});
  }
  check_rows({
      {"model",
       "model: {use: llama, width: 32, layers: 2, heads: 4, tied: off}",
       {"run.yaml:9:", "model.tied", "off", "true", "false"}},
      {"model",
       "model: {use: llama, width: 32, layers: 2, heads: 4, tied: 1}",
       {"run.yaml:9:", "model.tied", "true"}},
      {"model",
       "model: {use: llama, width: 32, layers: 2, heads: 4, tied: tRuE}",
       {"run.yaml:9:", "model.tied", "tRuE"}},
      {"parallel", "parallel: [{use: fsdp, reshard: 'no'}]", {"run.yaml:8:", "reshard", "quote"}},
  });
}

TEST_CASE("bad config: misspelt and misplaced keys, in the host's sections and a plugin's (C-03)") {
  check_rows({
      {"optimizer",
       "optimizer: {use: adamw, learning_rate: 1e-3, weigth_decay: 0.1}",
       {"run.yaml:10:", "optimizer.weigth_decay", "weight_decay", "^~~~~~~~~~~~"}},
      {"optimizer",
       "optimizer: {use: adamw, learning_rate: 1e-3}\nweight_decay: 0.1",
       {"run.yaml:11:", "weight_decay", "optimizer"}},
      {"run", "run: {name: tiny, max-steps: 3}", {"run.yaml:3:", "max-steps", "steps"}},
      {"batch",
       "batch: {sequences: 6, sequence-length: 16}",
       {"run.yaml:4:", "sequence-length", "sequence_length"}},
      {"log", "logg: {every: 1}", {"run.yaml:13:", "logg", "log"}},
      {"parallel", "parallel: [{use: fsdp, reshrad: true}]", {"run.yaml:8:", "reshrad", "reshard"}},
      {"optimizer",
       "optimizer: {use: adamw, learning_r\u0430te: 1e-3}",
       {"run.yaml:10:", "U+0430", "learning_rate"}},
  });
}

TEST_CASE("bad config: all mistakes of a file come at once") {
  const Trial trial;
  write_with(trial, "run", "run: {name: tiny, stepps: 3}");
  write_with(trial, "model", "model: {use: llama, widht: 32, layers: 2, heads: four}");
  const Outcome outcome = trial.mortise({"run", "run.yaml", "-n", "2"});
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  for (const char* part : {"run.stepps", "model.widht", "width?", "model.heads"})
    CHECK(contains(outcome.err, part));
  CHECK_FALSE(contains(outcome.err, "[rank"));
}

TEST_CASE(
    "bad config: an anchor inside itself is a cycle, at the top and in a plugin's section (C-04)") {
  const Trial trial;
  trial.write("cycle.yaml", "a: &x\n  b: *x\n");
  check_refused(trial.mortise({"run", "cycle.yaml"}), 2, {"cycle.yaml:2:", "cycle"});
  check_rows({{"model",
               "model: &m {use: llama, width: 32, layers: 2, heads: *m}",
               {"run.yaml:9:", "cycle"}}});
}

TEST_CASE("bad config: too deep is said as such (C-05)") {
  const Trial trial;
  for (const int depth : {400, 2000, 100000}) {
    CAPTURE(depth);
    trial.write("deep.yaml", "mortise: 1\nmodel: " + std::string(std::size_t(depth), '[') +
                                 std::string(std::size_t(depth), ']') + "\n");
    check_refused(trial.mortise({"check", "deep.yaml"}), 2, {"deep.yaml:2:", "deep"});
  }
}

TEST_CASE("bad config: files from Windows run like the plain one, tabs are named (C-06)") {
  const Trial trial;
  const std::string plain = trial.read("run.yaml");
  trial.write("windows.yaml", "\xEF\xBB\xBF" + std::regex_replace(plain, std::regex("\n"), "\r\n"));
  const Outcome outcome = trial.mortise({"run", "windows.yaml", "--set", "run.steps=1"});
  check_done(outcome);
  CHECK(trial.names("runs") == Words{"tiny"});

  trial.write("tab.yaml", "mortise: 1\nrun:\n\tname: tiny\n");
  check_refused(trial.mortise({"run", "tab.yaml"}), 2, {"tab.yaml:3:1", "tab"});
  trial.write("wide.yaml", std::string("\xFF\xFEm\0o\0", 6));
  check_refused(trial.mortise({"run", "wide.yaml"}), 2, {"wide.yaml", "UTF-16"});
}

TEST_CASE("bad config: environment variables, set, empty and unset (C-07)") {
  const Trial trial;
  std::filesystem::create_directory(trial.path("corpus"));
  std::filesystem::rename(trial.path("words.txt"), trial.path("corpus/words.txt"));
  const std::string from = "data: {train: {use: text, files: \"${env:CORPUS_DIR}/words.txt\"}}";
  write_with(trial, "data", from);
  const Words command{"run", "run.yaml", "--set", "run.steps=1"};
  check_done(trial.mortise(command, {{"CORPUS_DIR", "corpus"}}));
  std::filesystem::remove_all(trial.path("runs"));
  const Words before = trial.names();

  check_refused(trial.mortise(command), 2, {"run.yaml:6:", "CORPUS_DIR", "data.train.files"});
  check_refused(trial.mortise(command, {{"CORPUS_DIR", ""}}), 4, {"/words.txt"});
  write_with(trial, "data", "data: {train: {use: text, files: \"${CORPUS_DIR}/words.txt\"}}");
  check_refused(trial.mortise(command, {{"CORPUS_DIR", "corpus"}}), 2,
                {"run.yaml:6:", "${env:CORPUS_DIR}"});
  CHECK(trial.names() == before);
}
