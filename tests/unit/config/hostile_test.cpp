// Files that nobody would write by hand: each is loaded or refused, in bounded time, never a crash.

#include <doctest/doctest.h>

#include <ctime>
#include <random>

#include "tests/unit/config/run_folder.hpp"

using namespace mortise::tests;

namespace {

// Processor time, so that a busy machine does not count.
bool ends_well(const std::string& text) {
  const std::clock_t begin = std::clock();
  const auto loaded = load(text);
  const bool told = loaded.error.empty() || contains(loaded.error, "error[");
  return told && std::clock() - begin < 10 * CLOCKS_PER_SEC;
}

std::string mutated(std::string text, std::mt19937& random) {
  static const std::string kBytes = "{}[]:,-&*!|>'\"#%@`$~?\n\t ax0.\xC3\x80<\\";
  const int edits = 1 + static_cast<int>(random() % 6);
  for (int i = 0; i < edits; ++i) {
    const std::size_t at = random() % (text.size() + 1);
    const char byte = kBytes[random() % kBytes.size()];
    switch (random() % 4) {
      case 0:
        text.insert(at, 1, byte);
        break;
      case 1:
        text.erase(at, 1 + random() % 8);
        break;
      case 2:
        text.insert(at, text.substr(random() % (text.size() + 1), random() % 40));
        break;
      default:
        if (at < text.size()) text[at] = byte;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("hostile files: random edits of a good file never crash the loader") {
  const std::string good = whole_run(
      "eval: {every: 50, hold_out: 5%, sets: {w: &a {use: text, files: \"${run.name}\"}, x: *a}}\n"
      "log:\n  every: 10\n  sinks:\n    - console\n    - {use: mlflow, token: 'x', flush: "
      "30s}\nrecompute: [a, b]\n");
  std::mt19937 random(20260801);
  for (int i = 0; i < 1500; ++i) {
    const std::string text = mutated(good, random);
    CAPTURE(text);
    REQUIRE(ends_well(text));
  }
}

TEST_CASE("hostile files: sizes that are too much end soon and say so") {
  std::string keys;
  for (int i = 0; i < 120'000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  CHECK(contains(load(keys).error, "C0006"));
  std::string fewer;
  for (int i = 0; i < 5'000; ++i) fewer += "k" + std::to_string(i) + ": 1\n";
  CHECK(ends_well(fewer));
  std::string sinks = "log: {sinks: [";
  for (int i = 0; i < 5'000; ++i) sinks += "console, ";
  CHECK(ends_well(whole_run(sinks + "console]}\n")));
  CHECK(ends_well(std::string(200'000, '\'')));
  CHECK(ends_well("a: " + std::string(300'000, '{')));
  CHECK(ends_well("? " + std::string(100'000, '?')));
  CHECK(ends_well(std::string(100'000, '&') + "a"));
  CHECK(ends_well("a: |\n" + std::string(100'000, ' ')));
  CHECK(ends_well("%YAML 1.2\n%TAG ! x\n---\na: 1\n"));
}
