// `mortise plugin new`: names, kinds and folders; what is wrong is told and nothing is written.

#include <doctest/doctest.h>

#include "tests/end_to_end/trial.hpp"

using namespace mortise::tests;

namespace {

const Words kKinds{"command",     "dataset", "layer_op", "learning_rate_schedule",
                   "metric_sink", "model",   "owner",    "optimizer",
                   "tokenizer"};

Outcome make(const Trial& trial, const std::string& kind, const std::string& name,
             const Words& more = {}) {
  return trial.mortise(Words{"plugin", "new", "--kind", kind, name} + more);
}

}  // namespace

TEST_CASE("plugin new: writes a project of each kind, with the name in place of the template's") {
  const Trial trial;
  for (const std::string& kind : kKinds) {
    CAPTURE(kind);
    const Outcome made = make(trial, kind, "gpt2_" + kind);
    check_done(made);
    CHECK(contains(made.out, "mortise plugin build gpt2_" + kind));
    Words expected{".ci", ".gitignore", "CMakeLists.txt", "LICENSE", "README.md"};
    for (const char* end : {".cpp", ".yaml", "_test.cpp"})
      if (kind != "command" || std::string_view(end) != ".yaml")
        expected.push_back("gpt2_" + kind + end);
    CHECK(trial.names("gpt2_" + kind) == expected);
    const std::string source = trial.read("gpt2_" + kind + "/gpt2_" + kind + ".cpp");
    CHECK(contains(source, "class Gpt2"));
    CHECK(contains(source, "\"gpt2_" + kind + "\""));
    CHECK(count(source, "\n") <= 80);
  }
}

TEST_CASE("plugin new: a name that cannot be one is refused, and nothing is written") {
  const Trial trial;
  const Words before = trial.names();
  for (const char* name : {"", "My", "2d", "_a", "a_", "a__b", "a-b", "a.b", "a b", "../a", "ä",
                           "a\n", "a_name_that_is_longer_than_any_name_has_a_right_to"}) {
    CAPTURE(name);
    check_refused(make(trial, "model", name), 2, {"error[C0910]", "cannot be a name", "my_model"});
  }
  // Words that the source needs for something else.
  check_refused(make(trial, "optimizer", "optimizer"), 2, {"error[C0910]", "class Optimizer"});
  check_refused(make(trial, "model", "config"), 2, {"error[C0910]", "class Config"});
  CHECK(trial.names() == before);
}

TEST_CASE("plugin new: a kind that is not there is refused with the nearest one") {
  const Trial trial;
  check_refused(make(trial, "optimiser", "a"), 2, {"error[C0911]", "did you mean optimizer?"});
  check_refused(make(trial, "project", "a"), 2, {"error[C0911]", "there are command, dataset"});
  check_refused(trial.mortise({"plugin", "new", "a"}), 2, {"error[C0911]", "--kind is missing"});
  CHECK_FALSE(trial.has("a"));
}

TEST_CASE("plugin new: what is there stays as it is") {
  const Trial trial;
  check_done(make(trial, "command", "mine"));
  trial.write("mine/mine.cpp", "changed");
  check_refused(make(trial, "command", "mine"), 2,
                {"error[C0912]", "is there already", "--folder"});
  CHECK(trial.read("mine/mine.cpp") == "changed");
  check_refused(make(trial, "command", "mine", {"--folder", "run.yaml"}), 2, {"error[C0912]"});
  check_done(make(trial, "command", "mine", {"--folder", "deep/er/mine"}));
  CHECK(trial.has("deep/er/mine/mine.cpp"));
}

TEST_CASE("plugin new: a folder that cannot be written leaves nothing") {
  const Trial trial;
  const Outcome refused = make(trial, "command", "mine", {"--folder", "/proc/mine"});
  check_refused(refused, 7, {"error[K0002]", "/proc/mine"});
}

TEST_CASE("plugin build: what is missing is told with what to do") {
  const Trial trial;
  check_refused(trial.mortise({"plugin", "build", "nowhere"}), 3,
                {"error[P2010]", "nowhere has no CMakeLists.txt", "mortise plugin new"});
  check_done(make(trial, "command", "mine"));
  const auto build = [&](const Environment& environment) {
    return trial.mortise({"plugin", "build", "mine"}, environment);
  };
  check_refused(build({{"PATH", "/nowhere"}}), 3, {"error[P2011]", "no cmake", "apt-get install"});
  check_refused(build({{"CXX", "no_compiler"}}), 3, {"error[P2011]", "no_compiler", "CXX"});
  CHECK_FALSE(trial.has("mine/build"));
}

TEST_CASE("plugin build: a compile error is shown with the command to run by hand") {
  const Trial trial;
  check_done(make(trial, "command", "mine"));
  trial.write("mine/mine.cpp", "int main( {\n");
  const Outcome refused = trial.mortise({"plugin", "build", "mine"});
  check_refused(refused, 3,
                {"error[P2010]", "the project does not build", "mine.cpp:1:5: error",
                 "by hand: cmake --build "});
  trial.write("mine/CMakeLists.txt", "project(\n");
  check_refused(trial.mortise({"plugin", "build", "mine"}), 3,
                {"error[P2010]", "cannot be configured", "by hand: cmake -S "});
}
