// Siblings of the cases in bad_plugins_test.cpp, with plugins in plain C whose bytes are patched
// through the program.

#include <doctest/doctest.h>

#include <regex>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;
namespace fs = std::filesystem;

std::string bytes_of(const Trial& trial, const fs::path& file) {
  fs::copy_file(file, trial.path("copy"), fs::copy_options::overwrite_existing);
  return trial.read("copy");
}

std::string patched(std::string bytes, const std::string& from, const std::string& to) {
  REQUIRE(from.size() == to.size());
  std::size_t at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  for (; at != std::string::npos; at = bytes.find(from, at + to.size()))
    bytes.replace(at, from.size(), to);
  return bytes;
}

// A fixture of tests/fixtures/plugins whose made-up fingerprint is that of this host's tokenizer.
std::string fitting(const Trial& trial, const std::string& fixture) {
  const std::string tokenizer =
      bytes_of(trial, fs::path(MORTISE_PLUGIN_DIR) / "mortise_byte_tokenizer.so");
  std::smatch found;
  REQUIRE(
      std::regex_search(tokenizer, found, std::regex("mortise/tokenizer/1\":\"([0-9a-f]{16})")));
  return patched(bytes_of(trial, fixture_plugin("loading/" + fixture)), "a1b2c3d4e5f60718",
                 found[1].str());
}

Words plugin(const std::string& file) { return {"--plugin", file}; }
Words inspect(const std::string& file) { return {"plugin", "inspect", "./" + file}; }

// All that is wrong with a file comes at once, so there may be more than `parts`.
void check_told(const Outcome& outcome, const Words& parts) {
  CAPTURE(outcome.said());
  CHECK(outcome.exit == 3);
  CHECK(outcome.signal == 0);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(contains(outcome.said(), part));
  }
}

}  // namespace

TEST_CASE("unfit plugins: the next major of the SDK and another draft of a table (X-02)") {
  const Trial trial;
  const std::string good = fitting(trial, "good");
  trial.write("good.so", good);
  check_done(trial.mortise(inspect("good.so")));
  trial.write("next.so", patched(good, "\"sdk\":\"0.1\"", "\"sdk\":\"1.0\""));
  check_told(trial.mortise(inspect("next.so")),
             {"next.so", "P1010", "built for SDK 1.0, this host provides 0.2", "SDK 0.x"});
  trial.write("draft.so", bytes_of(trial, fixture_plugin("loading/good")));
  check_told(trial.mortise(inspect("draft.so")),
             {"draft.so", "P1011", "another draft of mortise/tokenizer/1: method 1 differs"});
}

TEST_CASE("unfit plugins: a table that is too short is found before a component is made (X-02)") {
  const Trial trial;
  trial.write("short.so", fitting(trial, "short_table"));
  check_refused(trial.run(1, plugin("short.so") + sets({"tokenizer=tiny"})), 3,
                {"short.so", "P1023", "it is too short", "at least 32 bytes", "16 bytes"});
  CHECK(trial.names("runs").empty());
}

TEST_CASE("unfit plugins: one that drags in a second LibTorch is refused (X-02)") {
  const Trial trial;
  const std::string needs = fitting(trial, "needs_library");
  const fs::path extra = fixture_plugin("loading/good").parent_path() / "loading_fixture_extra" /
                         "libmortise_extra.so";
  const std::string name = "libtorch.so";
  trial.write(
      "x.so",
      patched(needs, "libmortise_extra.so",
              name + std::string(std::string("libmortise_extra.so").size() - name.size(), '\0')));
  fs::copy_file(extra, trial.path(name));
  check_told(trial.run(1, plugin("x.so") + sets({"tokenizer=tiny"})),
             {"x.so", "P1014", "brings its own libtorch.so", "that the host has loaded"});
}

TEST_CASE("unfit plugins: a library beside the plugin, with and without $ORIGIN (X-06)") {
  const Trial trial;
  const std::string needs = fitting(trial, "needs_library");
  const std::string folder = "my plug ins/größe/";
  trial.write(folder + "found.so", needs);
  trial.write(folder + "lost.so", patched(needs, "$ORIGIN", "/nowher"));
  fs::copy_file(fixture_plugin("loading/good").parent_path() / "loading_fixture_extra" /
                    "libmortise_extra.so",
                trial.path(folder + "libmortise_extra.so"));
  check_done(trial.mortise(inspect(folder + "found.so")));
  check_told(trial.mortise(inspect(folder + "lost.so")),
             {folder + "lost.so", "P1014", "libmortise_extra.so",
              "lies beside the plugin but is not looked for there", "$ORIGIN"});
}

TEST_CASE("unfit plugins: a plugin is named without any slash (X-06)") {
  const Trial trial;
  fs::copy_file(fixture_plugin("tracing"), trial.path("tracing.so"));
  check_done(trial.run(1, plugin("tracing.so") + sets({"schedule=tracing", "run.steps=1"})));
  check_refused(trial.run(1, plugin("absent.so") + sets({"run.name=other"})), 3, {"absent.so"});
}

TEST_CASE("unfit plugins: two that offer one name, and one id twice, name both files (X-07)") {
  const Trial trial;
  trial.write("one.so", fitting(trial, "good"));
  trial.write("two.so", fitting(trial, "same_key"));
  trial.write("copy.so", fitting(trial, "good"));
  check_refused(trial.run(1, plugin("one.so") + plugin("two.so") + sets({"tokenizer=tiny"})), 2,
                {"P1020", "tiny", "one.so", "two.so", "write `org.mortise.fixture.good:tiny`"});
  check_refused(trial.run(1, plugin("one.so") + plugin("copy.so") + sets({"tokenizer=tiny"})), 3,
                {"P1020", "one.so", "copy.so", "org.mortise.fixture.good"});
  CHECK_FALSE(trial.has("runs"));
}

TEST_CASE("unfit plugins: two that register one namespace of operators name both files (X-07)") {
  const Trial trial;
  trial.write("one.so", fitting(trial, "operators"));
  trial.write("two.so", fitting(trial, "same_operators"));
  const Words both = plugin("one.so") + plugin("two.so") + sets({"run.steps=1", "tokenizer=tiny"});
  check_refused(trial.run(1, both + sets({"data.train.tokenizer=next"})), 3,
                {"two.so: error[P1022]", "the namespace fixture_ops", "one.so; if two share"});
  CHECK_FALSE(trial.has("runs"));
}
