// Commands beside `run`: what they print, and what they leave alone.

#include <doctest/doctest.h>

#include <regex>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

Words generate(const std::string& from, const Words& more = {}) {
  return Words{"generate", from, "--prompt", "The ", "--tokens", "24"} + more;
}

// Settings of a resolved file without where they come from.
std::string settings_alone(const std::string& resolved) {
  return std::regex_replace(resolved, std::regex("[ ]*#[^\n]*"), "");
}

}  // namespace

TEST_CASE(
    "commands: generate draws equal texts from equal seeds, and always the same when greedy") {
  const Trial trial;
  check_done(trial.run(2, sets({"run.steps=5"})));
  const auto text = [&](const Words& more) {
    const Outcome outcome = trial.mortise(generate("runs/tiny", more));
    check_done(outcome);
    return outcome.out;
  };
  const std::string drawn = text({"--seed", "7"});
  CHECK(contains(drawn, "The "));
  CHECK(drawn.size() > 12);
  CHECK(text({"--seed", "7"}) == drawn);
  CHECK(text({"--seed", "8"}) != drawn);
  const std::string greedy = text({"--temperature", "0", "--seed", "7"});
  CHECK(text({"--temperature", "0", "--seed", "8"}) == greedy);

  const Outcome named =
      trial.mortise(generate("runs/tiny/checkpoints/step_00000005", {"--temperature", "0"}));
  check_done(named);
  CHECK(named.out == greedy);
}

TEST_CASE("commands: generate from what is no run, or with options that make no sense, says so") {
  const Trial trial;
  check_refused(trial.mortise(generate("runs/none")), 7, {"runs/none", "no such run"});
  check_refused(trial.mortise(generate("words.txt")), 7, {"words.txt"});
  std::filesystem::create_directories(trial.path("runs/empty"));
  check_refused(trial.mortise(generate("runs/empty")), 7, {"runs/empty"});
  check_refused(trial.mortise({"generate"}), 2, {"run", "path"});
  check_refused(trial.mortise({"generate", "runs/none", "--tokens", "some"}), 2,
                {"--tokens", "some"});
  check_refused(trial.mortise({"generate", "runs/none", "--fly"}), 2, {"--fly", "--help"});
  CHECK(trial.names("runs") == Words{"empty"});
}

TEST_CASE("commands: data pack makes a file that trains like the text it was made of") {
  const Trial trial;
  const Outcome packed = trial.mortise(
      {"data", "pack", "words.txt", "--tokenizer", "byte", "-o", "packed/words.pbin"});
  check_refused(packed, 7, {"packed"});
  const Words pack{"data", "pack", "words.txt", "--tokenizer", "byte", "-o", "words.pbin"};
  check_done(trial.mortise(pack));
  CHECK(trial.names() == Words{"run.yaml", "words.pbin", "words.pbin.json", "words.txt"});
  const Words shorter = sets({"run.steps=3", "eval=null"});
  check_done(trial.run(1, shorter + sets({"run.name=text"})));
  check_done(trial.run(1, shorter + sets({"run.name=packed",
                                          "data.train={use: packed_tokens, files: words.pbin}"})));
  CHECK(trial.numbers("runs/packed") == trial.numbers("runs/text"));

  const std::string before = trial.read("words.pbin");
  check_refused(trial.mortise(pack), 2, {"words.pbin", "--overwrite"});
  check_refused(trial.mortise({"data", "pack", "none.txt", "--tokenizer", "byte", "-o", "n.pbin"}),
                4, {"none.txt"});
  check_refused(trial.mortise({"data", "pack", "words.txt", "--tokenizer", "bite", "-o", "n.pbin"}),
                2, {"bite", "byte"});
  CHECK(trial.read("words.pbin") == before);
  CHECK_FALSE(trial.has("n.pbin"));
}

TEST_CASE("commands: what config show prints loads again and means the same") {
  const Trial trial;
  const Outcome first = trial.mortise({"config", "show", "run.yaml", "--set", "run.seed=11"});
  check_done(first);
  CHECK(contains(first.out, "# --set"));
  CHECK(contains(first.out, "# default of adamw"));
  CHECK(contains(first.out, "run.yaml:"));
  trial.write("resolved.yaml", first.out);
  const Outcome second = trial.mortise({"config", "show", "resolved.yaml"});
  check_done(second);
  CHECK(settings_alone(second.out) == settings_alone(first.out));

  check_done(trial.run(1, sets({"run.seed=11", "run.steps=2", "run.folder=a"})));
  check_done(trial.mortise(Words{"run", "resolved.yaml"} + sets({"run.steps=2", "run.folder=b"})));
  CHECK(trial.numbers("a/tiny") == trial.numbers("b/tiny"));
  const Outcome kept = trial.mortise({"config", "show", "a/tiny/config.yaml"});
  check_done(kept);
  CHECK(contains(kept.out, "seed: 11"));
}

TEST_CASE("commands: check says what would run and writes nothing") {
  const Trial trial;
  const Outcome outcome = trial.mortise({"check", "run.yaml"});
  check_done(outcome);
  for (const char* part : {"tiny", "parameters", "96 tokens", "10 steps", "ok"})
    CHECK(contains(outcome.out, part));
  CHECK_FALSE(trial.has("runs"));
  check_refused(trial.mortise({"check"}), 2, {"which file"});
  check_refused(trial.mortise({"check", "run.yaml", "--set", "model.heads=5"}), 2, {"heads"});
}

TEST_CASE("commands: list, inspect, docs and why run no code of a plugin") {
  const Trial trial;
  const std::string file = fixture_plugin("tracing").string();
  const Environment traced = {{"MORTISE_TEST_TRACE", trial.path("trace").string()}};
  const Words with{"--plugin", file};
  const auto ask = [&](const Words& what, const std::string& part) {
    CAPTURE(what[1]);
    const Outcome outcome = trial.mortise(what, traced);
    check_done(outcome);
    CHECK(contains(outcome.out, part));
    CHECK_FALSE(trial.has("trace"));
  };
  ask(Words{"plugin", "list"} + with, "org.mortise.test.tracing");
  ask(Words{"plugin", "list", "--json"} + with, "\"org.mortise.test.tracing\"");
  ask(Words{"plugin", "inspect", file}, "org.mortise.test.tracing");
  ask(Words{"plugin", "inspect", "org.mortise.test.tracing"} + with, "tracing");
  ask(Words{"plugin", "docs", "tracing"} + with, "the full rate, and a trace");
  ask(Words{"plugin", "why", "tracing"} + with, file);
  ask(Words{"config", "show", "run.yaml", "--set", "schedule=tracing"} + with, "tracing");

  check_done(trial.mortise(Words{"check", "run.yaml", "--set", "schedule=tracing"} + with, traced));
  CHECK(trial.read("trace") == "loaded\nmade\n");
}

TEST_CASE("commands: each has a help with an example, and the program a version") {
  const Trial trial;
  const std::vector<Words> commands = {
      {"run"},    {"check"},    {"config"},      {"config", "show"},
      {"plugin"}, {"generate"}, {"data", "pack"}};
  for (const Words& command : commands) {
    CAPTURE(command.back());
    for (const char* option : {"--help", "-h"}) {
      const Outcome outcome = trial.mortise(command + Words{option});
      check_done(outcome);
      CHECK(outcome.err == "");
      CHECK(contains(outcome.out, "usage: mortise " + command[0]));
      CHECK(contains(outcome.out, "example"));
      CHECK(contains(outcome.out, "\n  mortise " + command[0]));
    }
  }
  const Outcome all = trial.mortise({"--help"});
  check_done(all);
  for (const char* part :
       {"run FILE", "check FILE", "config show", "plugin", "examples:", "exit codes"})
    CHECK(contains(all.out, part));
  CHECK(trial.mortise({}).exit == 2);

  const Outcome version = trial.mortise({"--version"});
  check_done(version);
  for (const char* part : {"mortise 0.2.0", "SDK 0.2", "LibTorch 2.11.0"})
    CHECK(contains(version.out, part));
}
