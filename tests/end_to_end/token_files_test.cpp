// Token files and the commands on them, as users meet them.

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;
namespace fs = std::filesystem;

// The trial's text as packed tokens.
void pack(const Trial& trial) {
  check_done(
      trial.mortise({"data", "pack", "words.txt", "--tokenizer", "byte", "-o", "words.pbin"}));
}

void convert(const Trial& trial, const Words& more) {
  check_done(trial.mortise(Words{"data", "convert", "words.pbin"} + more));
}

Words trained_on(const std::string& file) {
  return sets({"data.train={use: packed_tokens, files: " + file + "}", "run.name=" + file});
}

// An array of NumPy with so many zeros of four bytes, none of which is on the disk.
void sparse_array(const fs::path& path, std::uint64_t count) {
  std::string text =
      "{'descr': '<u4', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  text.resize(117, ' ');
  std::ofstream(path, std::ios::binary)
      << "\x93NUMPY\x01" << '\0' << char(118) << '\0' << text << '\n';
  fs::resize_file(path, 128 + 4 * count);
}

Words left_of(const Trial& trial, const std::string& stem) {
  Words names;
  for (const std::string& name : trial.names())
    if (name.starts_with(stem)) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("token files: training on any format gives the same numbers") {
  const Trial trial;
  pack(trial);
  convert(trial, {"-o", "w.npy"});
  convert(trial, {"-o", "w.idx"});
  convert(trial, {"-o", "c.bin", "--format", "llm_c"});
  convert(trial, {"-o", "n.bin", "--format", "nanogpt"});
  check_done(trial.run(1, trained_on("words.pbin")));
  const Words expected = trial.numbers("runs/words.pbin");
  REQUIRE(expected.size() > 10);
  for (const char* file : {"w.npy", "w.idx", "w.bin", "c.bin", "n.bin"}) {
    CAPTURE(file);
    check_done(trial.run(1, trained_on(file)));
    CHECK(trial.numbers(std::string("runs/") + file) == expected);
  }
}

TEST_CASE("token files: a run refuses data of another tokenizer, whatever the format") {
  const Trial trial;
  pack(trial);
  std::string side = trial.read("words.pbin.json");
  side.replace(side.find("byte/1"), 6, "gpt2/9");
  trial.write("words.pbin.json", side);
  convert(trial, {"-o", "w.npy"});
  convert(trial, {"-o", "w.idx"});
  for (const char* file : {"words.pbin", "w.npy", "w.idx"})
    for (const int ranks : {1, 2}) {
      CAPTURE(file);
      const std::string data = std::string(file) == "w.idx" ? "w.bin" : file;
      check_refused(trial.run(ranks, trained_on(file)), 4,
                    {"D0102", data + " was packed with tokenizer gpt2/9", "this run has byte/1"});
      CHECK(trial.names("runs").empty());
    }
}

TEST_CASE("token files: mistakes end a command with one message and leave nothing") {
  const Trial trial;
  pack(trial);
  trial.write("bad.pbin", std::string("\x06\0\0\0\0\0\0\0\x03\0\0\0abcdef", 18));
  trial.write("there.pbin", "mine");
  struct Row {
    const char* what;
    Words arguments;
    int exit;
    Words parts;
  };
  for (const Row& row : std::vector<Row>{
           {"a broken file", {"verify", "bad.pbin"}, 4, {"bad.pbin", "3 bytes per token"}},
           {"a broken file among others",
            {"merge", "words.pbin", "bad.pbin", "-o", "o.pbin"},
            4,
            {"bad.pbin"}},
           {"no file", {"inspect", "none.pbin"}, 4, {"none.pbin", "No such file"}},
           {"no match",
            {"merge", "none*.pbin", "-o", "o.pbin"},
            4,
            {"none*.pbin", "no file matches"}},
           {"a file that is there",
            {"merge", "words.pbin", "-o", "there.pbin"},
            2,
            {"there.pbin", "--overwrite"}},
           {"no folder", {"merge", "words.pbin", "-o", "no/o.pbin"}, 7, {"no/o.pbin"}},
           {"no format",
            {"convert", "words.pbin", "-o", "o.bin"},
            2,
            {"--format megatron, llm_c or nanogpt"}},
           {"no output", {"merge", "words.pbin"}, 2, {"out"}},
           {"other ids",
            {"verify", "words.pbin", "--vocabulary-size", "99"},
            4,
            {"expected 0 to 98"}}}) {
    CAPTURE(row.what);
    check_refused(trial.mortise(Words{"data"} + row.arguments), row.exit, row.parts);
  }
  CHECK(left_of(trial, "o.").empty());
  CHECK(trial.read("there.pbin") == "mine");
}

TEST_CASE("token files: a disk without room ends a command with exit code 7 and leaves nothing") {
  const Trial trial;
  pack(trial);
  for (const char* command : {"merge words.pbin -o o.pbin", "shuffle words.pbin -o o.pbin",
                              "convert words.pbin -o o.npy", "convert words.pbin -o o.idx"}) {
    CAPTURE(command);
    const Outcome outcome =
        trial.typed("ulimit -f 4; exec mortise data " + std::string(command));  // 2 KiB
    check_refused(outcome, 7, {"o.", ".partial", "File too large"});
    CHECK(left_of(trial, "o.").empty());
  }
}

TEST_CASE("token files: a signal ends a command in the middle and leaves nothing") {
  const Trial trial;
  sparse_array(trial.path("large.npy"), std::uint64_t(1) << 30);
  for (const int signal : {SIGINT, SIGTERM}) {
    CAPTURE(signal);
    Program program(trial.start({"data", "convert", "large.npy", "-o", "o.pbin"}));
    for (int i = 0; i != 3000 && !trial.has("o.pbin.partial"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(trial.has("o.pbin.partial"));
    program.send(signal);
    const Outcome outcome = program.wait();
    CHECK(outcome.exit == 128 + signal);
    CHECK(contains(outcome.err, "interrupted"));
    CHECK(left_of(trial, "o.").empty());
  }
}

TEST_CASE("token files: one that is cut while it is read ends command and run with its name") {
  const Trial trial;
  const auto cut = [&](Program& program, const std::string& file) {
    fs::resize_file(trial.path(file), 4096);
    const Outcome outcome = program.wait();
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 4);
    CHECK(contains(outcome.err, "error[D0101]: " + trial.path(file).string() + ": "));
    CHECK(contains(outcome.err, "become shorter"));
    CHECK(program.left_behind().empty());
  };
  sparse_array(trial.path("large.npy"), std::uint64_t(1) << 30);
  Program convert(trial.start({"data", "convert", "large.npy", "-o", "o.pbin"}));
  for (int i = 0; i != 3000 && !trial.has("o.pbin.partial"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  REQUIRE(trial.has("o.pbin.partial"));
  cut(convert, "large.npy");
  CHECK_FALSE(trial.has("o.pbin"));
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    sparse_array(trial.path("data.npy"), 1 << 24);
    Program run(trial.start(
        Words{"run", "run.yaml", "-n", std::to_string(ranks)} + trained_on("data.npy") +
        sets({"run.steps=100000", "eval=null", "run.name=cut" + std::to_string(ranks)})));
    REQUIRE(run.wait_until_it_says("step "));
    cut(run, "data.npy");
  }
}

TEST_CASE("text: two jobs on a fresh corpus pack it once (D-09)") {
  const Trial trial;
  const auto start = [&](const std::string& name) {
    return trial.start(Words{"run", "run.yaml", "-n", "4"} +
                       sets({"run.steps=2", "eval=null", "run.name=" + name}));
  };
  Program one(start("one")), two(start("two"));
  check_done(one.wait());
  check_done(two.wait());
  CHECK(trial.numbers("runs/one") == trial.numbers("runs/two"));
  CHECK(trial.numbers("runs/one").size() > 4);
  const Words cached = trial.names("cache/mortise/packed");
  CHECK(cached.size() == 2);  // the packed file and what stands beside it
  for (const std::string& name : cached) CHECK_FALSE(contains(name, ".partial"));
}
