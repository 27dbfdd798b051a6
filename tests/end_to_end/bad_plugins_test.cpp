// Plugins that do not fit, clash or throw, through the program.

#include <doctest/doctest.h>

#include <random>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;
namespace fs = std::filesystem;

Words plugin(const fs::path& file) { return {"--plugin", file.string()}; }

std::string bytes_of(const Trial& trial, const fs::path& file) {
  fs::copy_file(file, trial.path("copy.so"), fs::copy_options::overwrite_existing);
  return trial.read("copy.so");
}

// A copy of a plugin in which a text of its manifest stands changed, at the same length.
std::string with_text(std::string bytes, const std::string& from, const std::string& to) {
  REQUIRE(from.size() == to.size());
  const std::size_t at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  return bytes.replace(at, from.size(), to);
}

// The file is refused by inspect and by a run that names it; no code of it has run.
void check_file_refused(const Trial& trial, const std::string& file, const Words& parts) {
  CAPTURE(file);
  const Environment traced = {{"MORTISE_TEST_TRACE", trial.path("trace").string()}};
  for (const Words& command :
       {Words{"plugin", "inspect", "./" + file}, Words{"run", "run.yaml"} + plugin(file)}) {
    const Outcome outcome = trial.mortise(command, traced);
    CAPTURE(command[0]);
    CAPTURE(outcome.said());
    CHECK(outcome.exit == 3);
    CHECK(contains(outcome.said(), file));
    for (const std::string& part : parts) {
      CAPTURE(part);
      CHECK(contains(outcome.said(), part));
    }
  }
  CHECK_FALSE(trial.has("trace"));
  CHECK_FALSE(trial.has("runs"));
}

}  // namespace

TEST_CASE(
    "bad plugins: undefined symbols, the old string ABI and a missing entry, by readable name "
    "(X-01)") {
  struct Row {
    const char* fixture;
    Words parts;
  };
  for (const Row& row :
       {Row{"undefined_symbol", {"P1016", "c10::never_released(c10::Device const&, double)"}},
        Row{"old_string_abi", {"P1016", "_GLIBCXX_USE_CXX11_ABI=0"}},
        Row{"missing_entry", {"P1015", "mortise_plugin", "mortise_plug_in"}}}) {
    const Trial trial;
    fs::copy_file(fixture_plugin(std::string("loading/") + row.fixture), trial.path("my.so"));
    check_file_refused(trial, "my.so", row.parts);
  }
}

TEST_CASE("bad plugins: needed by the run file, a refused one is the reason that is told (X-01)") {
  const Trial trial;
  fs::create_directory(trial.path("mine"));
  fs::copy_file(fixture_plugin("loading/undefined_symbol"), trial.path("mine/my.so"));
  const Words from_folder = sets({"plugins.folders=[mine]"});
  check_done(trial.run(1, from_folder + sets({"run.steps=1"})));
  const Outcome needed = trial.run(1, from_folder + sets({"tokenizer=tiny", "run.name=second"}));
  CHECK(needed.exit == 3);
  for (const char* part : {"tokenizer", "tiny", "mine/my.so", "c10::never_released"})
    CHECK(contains(needed.err, part));
  CHECK(trial.names("runs") == Words{"tiny"});
}

TEST_CASE("bad plugins: other versions of SDK and LibTorch, before any code of theirs (X-02)") {
  const Trial trial;
  const std::string tracing = bytes_of(trial, fixture_plugin("tracing"));
  const std::string throwing = bytes_of(trial, fixture_plugin("throwing"));
  trial.write("old.so", with_text(tracing, "\"sdk\":\"0.2\"", "\"sdk\":\"9.1\""));
  check_file_refused(trial, "old.so", {"P1010", "SDK 9", "rebuild"});
  trial.write("torch.so", with_text(throwing, "\"torch\":\"2.11.0\"", "\"torch\":\"2.12.0\""));
  check_file_refused(trial, "torch.so", {"P1012", "2.12.0", "2.11.0", "rebuild"});
}

TEST_CASE("bad plugins: files that are no plugin, by what they are (X-03)") {
  const Trial trial;
  std::mt19937 random(7);
  std::string noise(8192, '\0');
  for (char& c : noise) c = char(random());
  noise[0] = 'x';
  const std::string good = bytes_of(trial, fixture_plugin("tracing"));
  std::string arm = good, narrow = good;
  arm[18] = char(183);
  narrow[4] = 1;
  trial.write("empty.so", "");
  trial.write("text.so", "hello");
  trial.write("script.so", "/* GNU ld script */\nGROUP ( /lib/libc.so.6 )\n");
  trial.write("noise.so", noise);
  trial.write("arm.so", arm);
  trial.write("narrow.so", narrow);
  trial.write("cut.so", good.substr(0, 4000));
  fs::copy_file(fixture_plugin("loading/good").parent_path() / "unlinked.o",
                trial.path("object.so"));
  fs::copy_file(fixture_plugin("loading/good").parent_path() / "executable",
                trial.path("program.so"));
  struct Row {
    const char* file;
    Words parts;
  };
  for (const Row& row : {Row{"empty.so", {"P1002", "empty"}}, Row{"text.so", {"P1002", "text"}},
                         Row{"script.so", {"P1002", "script"}}, Row{"noise.so", {"P1002"}},
                         Row{"arm.so", {"P1002", "AArch64"}}, Row{"narrow.so", {"P1002", "32"}},
                         Row{"cut.so", {"P1002", "truncated"}}, Row{"object.so", {"P1002"}},
                         Row{"program.so", {"P1002"}}})
    check_file_refused(trial, row.file, row.parts);
  fs::create_directory(trial.path("folder.so"));
  check_refused(trial.mortise({"run", "run.yaml", "--plugin", "folder.so"}), 3, {"folder.so"});
  check_refused(trial.mortise({"run", "run.yaml", "--plugin", "none.so"}), 3, {"none.so"});
  CHECK_FALSE(trial.has("runs"));
}

namespace {

Words throwing(const std::string& call, const std::string& kind) {
  return plugin(fixture_plugin("throwing")) +
         sets({"optimizer={use: throwing, learning_rate: 1, at: 2, call: " + call +
               ", kind: " + kind + "}"});
}

}  // namespace

TEST_CASE("bad plugins: what is thrown is told with plugin, call and text (X-04)") {
  struct Row {
    const char *kind, *text;
  };
  for (const Row& row : {Row{"standard", "the ninth of eight (threw std::out_of_range)"},
                         Row{"torch", "the ninth of eight tensors (threw c10::Error)"},
                         Row{"own", "Hidden"}, Row{"integer", "threw int"}}) {
    CAPTURE(row.kind);
    const Trial trial;
    const std::string who = "throwing of org.mortise.test.throwing";
    check_refused(trial.run(1, throwing("create", row.kind)), 3,
                  {who, "could not be made", row.text});
    CHECK(trial.names("runs").empty());
    check_refused(trial.run(1, throwing("step", row.kind)), 3,
                  {who + ": step: ", "after 2 steps", row.text});
    CHECK(trial.metrics().back()["step"] == 2);
  }
}

TEST_CASE("bad plugins: a throw on ranks ends them all and is told once (X-04)") {
  const Trial trial;
  for (const char* call : {"create", "step"}) {
    CAPTURE(call);
    const Outcome outcome = trial.run(3, throwing(call, "torch"));
    check_refused(outcome, 3, {"org.mortise.test.throwing", "the ninth of eight tensors"});
    CHECK(outcome.took < std::chrono::seconds(10));
  }
}

TEST_CASE(
    "bad plugins: a throw out of a destructor ends the process, which names the plugin (X-04)") {
  for (const auto& [kind, text] :
       std::map<std::string, std::string>{{"standard", "threw std::out_of_range"},
                                          {"torch", "threw c10::Error"},
                                          {"own", "Hidden"},
                                          {"integer", "threw int"}}) {
    CAPTURE(kind);
    const Trial trial;
    const Outcome outcome = trial.run(1, throwing("destroy", kind) + sets({"run.steps=1"}));
    check_refused(outcome, 3, {"throwing of org.mortise.test.throwing: destroy: ", text});
    CHECK(trial.has("runs/tiny/checkpoints/step_00000001/index.json"));
  }
}

TEST_CASE("bad plugins: a library that is missing is named with the plugin that needs it (X-06)") {
  const Trial trial;
  fs::copy_file(fixture_plugin("loading/needs_library"), trial.path("needs.so"));
  check_file_refused(trial, "needs.so", {"P1014", "libmortise_extra.so"});
}

TEST_CASE(
    "bad plugins: folders with blanks and umlauts count from the file that names them (X-06)") {
  const Trial trial;
  const std::string folder = "work/my plug ins/größe";
  fs::create_directories(trial.path(folder));
  fs::copy_file(fixture_plugin("tracing"), trial.path(folder + "/tracing.so"));
  trial.write(
      "work/run.yaml",
      trial.read("run.yaml") + "plugins: {folders: [\"my plug ins/größe\"]}\nschedule: tracing\n");
  fs::rename(trial.path("words.txt"), trial.path("work/words.txt"));
  const Environment traced = {{"MORTISE_TEST_TRACE", trial.path("trace").string()}};
  check_done(trial.mortise({"run", "work/run.yaml", "--set", "run.steps=1"}, traced));
  CHECK(trial.read("trace") == "loaded\nmade\n");
  CHECK(trial.names("runs") == Words{"tiny"});

  fs::copy_file(fixture_plugin("tracing"), trial.path("tracing.so"));
  check_done(trial.mortise({"plugin", "inspect", "tracing.so"}));
}

TEST_CASE(
    "bad plugins: a name that two offer is refused with both files and how to choose (X-07)") {
  const Trial trial;
  const Words twin = plugin(fixture_plugin("twin")) + sets({"run.steps=2"});
  check_refused(trial.run(1, twin), 2,
                {"P1020", "constant", "mortise_twin.so", "mortise_constant.so",
                 "org.mortise.test.twin:constant"});
  CHECK_FALSE(trial.has("runs"));
  check_done(trial.run(1, twin + sets({"schedule=org.mortise.test.twin:constant"})));
  CHECK(trial.series("train/learning_rate") == std::vector<double>{0.005, 0.005});
  check_done(
      trial.run(2, twin + sets({"schedule=org.mortise.constant:constant", "run.name=ours"})));
  CHECK(trial.series("train/learning_rate", "runs/ours") == std::vector<double>{0.01, 0.01});
}
