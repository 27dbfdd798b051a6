// Plugins of another version, language or compiler run in this host; what it does not know of a
// newer one is refused.

#include <doctest/doctest.h>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;

Words plugin(const std::string& name) {
  return {"--plugin", fixture_plugin("abi/" + name).string()};
}

// Losses, norms and rates of a run of ten steps.
Words numbers_with(const Words& more) {
  const Trial trial;
  check_done(trial.run(1, more));
  const Words numbers = trial.numbers();
  CHECK(numbers.size() >= 30);
  return numbers;
}

}  // namespace

TEST_CASE(
    "other builds: plain C, SDK 0.1, clang and a newer SDK give the bits of our own plugins") {
  const Words ours =
      numbers_with(sets({"tokenizer=byte", "schedule=constant", "optimizer.learning_rate=0.005"}));
  for (const std::string name : {"c99", "frozen", "clang"}) {
    CAPTURE(name);
    CHECK(numbers_with(plugin(name) + sets({"tokenizer=" + name + "_bytes",
                                            "schedule={use: " + name + "_factor, factor: 0.5}"})) ==
          ours);
  }
  CHECK(numbers_with(plugin("newer") + sets({"tokenizer=newer_bytes", "schedule=constant",
                                             "optimizer.learning_rate=0.005"})) == ours);
}

TEST_CASE("other builds: a torch-locked plugin of clang gives the bits of one of g++") {
  const auto with = [](const std::string& name) {
    return numbers_with(plugin(name) + sets({"optimizer={use: " + name + ", learning_rate: 0.1}"}));
  };
  CHECK(with("clang_sgd") == with("gcc_sgd"));
}

TEST_CASE(
    "other builds: what this host does not know of a newer plugin is refused, never ignored") {
  struct Row {
    const char *uses, *text;
  };
  for (const Row& row :
       {Row{"needs", "mortise::SpecialToken carries something that this side does not know"},
        Row{"enumerator", "mortise::LogLevel 4 is not known on this side, which knows 0 to 3"},
        Row{"method", "this logger cannot be flushed"}}) {
    CAPTURE(row.uses);
    const Trial trial;
    check_refused(
        trial.run(1, plugin("newer") + sets({std::string("tokenizer={use: newer_bytes, uses: ") +
                                             row.uses + "}"})),
        3, {row.text});
    CHECK(trial.names("runs").empty());
  }
}
