// cases.md C-03 to C-06: what a file may hold.

#include "host/config/document/document.hpp"

#include <doctest/doctest.h>

#include <ctime>

#include "tests/unit/config/run_folder.hpp"

using namespace mortise::tests;
using namespace mortise::host;

namespace {

struct Read {
  Source source;
  Findings findings;
  std::optional<Node> root;
  explicit Read(const std::string& text) : source(Source::Kind::file, "x.yaml", "/", text) {
    root = read_document(source, findings);
  }
};

std::string repeat(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

}  // namespace

TEST_CASE("document: keys and values carry their places, in characters") {
  const Read read("größe: ä\nb: {ü: 1, c: 'x y'}\n");
  REQUIRE(read.findings.text() == "");
  const Member& size = *read.root->find_member("größe");
  CHECK(size.place.length == 5);
  CHECK(size.value.place.column == 8);
  const Node& b = *read.root->find("b");
  CHECK(b.find("ü")->place.column == 8);
  CHECK(b.find("c")->place.column == 14);
  CHECK(b.find("c")->place.length == 5);
  CHECK(b.find("c")->quoted);
  CHECK_FALSE(b.find("ü")->quoted);
}

TEST_CASE("document: duplicate keys are found with both lines") {
  const Read read("a: 1\nb: {c: 1, c: 2}\na: 3\n");
  CHECK(count(read.findings.text(), "C0012") == 2);
  CHECK(contains(read.findings.text(),
                 "x.yaml:3:1: error[C0012]: a: is written twice; the first is in line 1"));
  CHECK(contains(read.findings.text(), "x.yaml:2:11: error[C0012]: b.c: is"));
}

TEST_CASE("document: aliases stand for what their anchors hold") {
  const Read read("a: &x {p: [1, two]}\nb: *x\nc: [*x, *x]\n");
  REQUIRE(read.findings.text() == "");
  CHECK(read.root->find("b")->find("p")->items[1].text == "two");
  CHECK(read.root->find("c")->items.size() == 2);
}

TEST_CASE("document: an anchor inside itself is a cycle with its line (C-04)") {
  for (const char* text : {"a: &x\n  b: *x\n", "a: &x\n  - [*x]\n"}) {
    const Read read(text);
    CHECK_FALSE(read.root.has_value());
    CHECK(contains(read.findings.text(), "x.yaml:2:"));
    CHECK(contains(read.findings.text(), ": cycle: "));
  }
  const auto loaded = load(whole_run("") + "schedule: &s\n  use: constant\n  a: {b: *s}\n");
  CHECK(contains(loaded.error, "run.yaml:10:10: error[C0007]: schedule.a.b: cycle"));
}

TEST_CASE("document: bombs of aliases end at the documented budget, quickly") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string inner = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeat(inner + ", ", 9) +
            inner + "]\n";
  }
  const Read values(bomb);
  CHECK(contains(values.findings.text(), ": too many values"));
  const Read bytes("a: &a " + std::string(1 << 20, 'x') + "\nb: [" + repeat("*a, ", 100) + "*a]\n");
  CHECK(contains(bytes.findings.text(), ": too many values"));
}

TEST_CASE("document: deep nesting is refused as such, at once (C-05)") {
  std::string blocks;
  for (int i = 0; i < 3000; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  for (const std::string& text :
       {repeat("[", 400) + repeat("]", 400), repeat("[", 2000) + repeat("]", 2000),
        repeat("[", 100'000) + repeat("]", 100'000), repeat("{a: ", 400) + "1" + repeat("}", 400),
        repeat("{a: ", 100'000) + repeat("}", 100'000), repeat("- ", 100'000), blocks}) {
    const std::clock_t begin = std::clock();
    const Read read(text);
    CHECK(contains(read.findings.text(), ": nested too deeply: at most 64 levels"));
    CHECK(std::clock() - begin < 5 * CLOCKS_PER_SEC);
  }
  CHECK(Read(repeat("[", 64) + repeat("]", 64)).findings.empty());
  CHECK_FALSE(Read(repeat("[", 65) + repeat("]", 65)).findings.empty());
}

TEST_CASE("document: files from Windows load like the plain one (C-06)") {
  const std::string plain = whole_run("log: {sinks: [{use: mlflow, token: a b}]}\n");
  std::string windows;
  for (const char c : plain) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto expected = load(plain);
  REQUIRE(expected.error == "");
  for (const std::string& text : {"\xEF\xBB\xBF" + plain, windows, "\xEF\xBB\xBF" + windows,
                                  plain.substr(0, plain.size() - 1)}) {
    const auto loaded = load(text);
    REQUIRE(loaded.error == "");
    CHECK(loaded.at("log.sinks.mlflow.token").as_text() == "a b");
    CHECK(loaded.at("run.steps").as_int() == expected.at("run.steps").as_int());
    CHECK_FALSE(contains(loaded.run.resolved_yaml, "\r"));
  }
}

TEST_CASE("document: a byte-order mark is no part of the first key (C-06)") {
  const auto loaded = load("\xEF\xBB\xBFmortisse: 1\n");
  CHECK(contains(loaded.error, "run.yaml:1:1: error[C0100]: mortisse: unknown section"));
  CHECK(contains(loaded.error, "    1 | mortisse: 1\n      | ^~~~~~~~"));
}

TEST_CASE("document: UTF-16 and bytes that are no UTF-8 are refused as such (C-06)") {
  std::string utf16 = "\xFF\xFE";
  for (const char c : std::string("mortise: 1\n")) utf16 += std::string({c, '\0'});
  CHECK(contains(load(utf16).error, "error[C0002]: the file is UTF-16: save it as UTF-8"));
  CHECK(contains(load(utf16.substr(2)).error, "error[C0002]: the file holds a NUL byte"));
  CHECK(contains(load("mortise: 1\nrun: {name: \xC3(}\n").error,
                 "run.yaml:2:13: error[C0002]: the file is not UTF-8: byte 0xC3 at offset 23"));
  CHECK(contains(load("mortise: 1\nrun: \x1B[31m\n").error,
                 "run.yaml:2:6: error[C0002]: the file holds the control character U+001B"));
  for (const char* bad :
       {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80", "\xFE"}) {
    CHECK(contains(load(std::string("a: ") + bad).error, "C0002"));
  }
}

TEST_CASE(
    "document: a tab as indentation is called a tab, with its place; after a colon it is none "
    "(C-06)") {
  struct Row {
    const char* text;
    const char* place;
  };
  for (const Row& row :
       {Row{"run:\n\tname: x\n", "x.yaml:2:1"}, Row{"run:\n  a: 1\n\tb: 2\n", "x.yaml:3:1"},
        Row{"run:\n\tword\n", "x.yaml:2:1"}, Row{"run:\n  \tname: x\n", "x.yaml:2:3"},
        Row{"\tmortise: 1\n", "x.yaml:1:1"}}) {
    CAPTURE(row.text);
    const Read read(row.text);
    CAPTURE(read.findings.text());
    CHECK(contains(read.findings.text(),
                   std::string(row.place) + ": error[C0004]: this line is indented with a tab"));
  }
  const Read after_colon("run:\t{name:\tx}\nb:\t5\n");
  CHECK(after_colon.findings.empty());
  CHECK(after_colon.root->find("b")->text == "5");
  CHECK(Read("a: {\n\tb: 1}\n").findings.empty());
}

TEST_CASE("document: what YAML has and settings do not is refused by name") {
  struct Row {
    const char* text;
    const char* id;
    const char* message;
  };
  for (const Row& row :
       {Row{"a: &x {b: 1}\nc:\n  <<: *x\n", "C0008", "merge keys (<<) are not supported"},
        Row{"a: 1\n---\nb: 2\n", "C0009", "a second document begins here"},
        Row{"a: !foo 1\n", "C0010", "YAML tags (`!foo`)"},
        Row{"a: !!str 1\n", "C0010", "YAML tags"},
        Row{"? [a]\n: 1\n", "C0011", "a key may not be a list or a mapping"},
        Row{"~: 1\n", "C0011", "a key may not be empty or null"},
        Row{"a: &k b\n*k : 1\n", "C0011", "a key may not be an alias"},
        Row{"a: {b: ${env:X}}\n", "C0013", "quote it"}, Row{"a: [${x}]\n", "C0013", "quote it"},
        Row{"a: {b: p${x}q}\n", "C0013", "quote it"},
        Row{"a: 'x\n", "C0003", "the quote that opens here is never closed"},
        Row{"a: \"x\nb: 1\n", "C0003", "never closed"}, Row{"a: b: c\n", "C0003", "not valid YAML"},
        Row{"a: *nope\n", "C0003", "not valid YAML"}, Row{"a: [1\n", "C0003", "not valid YAML"}}) {
    CAPTURE(row.text);
    const Read read(row.text);
    CAPTURE(read.findings.text());
    REQUIRE(read.findings.size() == 1);
    CHECK(read.findings.list()[0].id == std::string(row.id));
    CHECK(contains(read.findings.list()[0].text, row.message));
  }
}

TEST_CASE("document: what looks like YAML's traps but is plain text stays text") {
  const Read read("a: ${x}\nb: x${env:Y:-z}\nc: '<<'\nd: a#b\ne: [\"${x}\"]\nf: ''\n");
  REQUIRE(read.findings.text() == "");
  CHECK(read.root->find("b")->text == "x${env:Y:-z}");
  CHECK(read.root->find("d")->text == "a#b");
  CHECK(read.root->find("f")->is_scalar());
}

TEST_CASE("document: files that are none are refused by what they are") {
  const RunFolder folder;
  LoadRequest request;
  request.file = (folder.path() / "nowhere.yaml").string();
  CHECK(contains(load(folder, request).error, "nowhere.yaml: error[C0001]: there is no such file"));
  request.file = folder.path().string();
  CHECK(contains(load(folder, request).error, "is a folder, not a file"));
  request.file = folder.write("big.yaml", std::string(kMaxFileBytes + 1, '#'));
  CHECK(contains(load(folder, request).error, "is larger than 16 MiB"));
  request.file = folder.write("list.yaml", "[1, 2]\n");
  CHECK(contains(load(folder, request).error,
                 "a file of settings is a mapping of sections, this is a list"));
  request.file = folder.write("empty.yaml", "");
  CHECK(contains(load(folder, request).error, "error[C0102]: mortise: is missing"));
  const Read long_text("a: " + std::string(kMaxScalarBytes + 1, 'x') + "\n");
  CHECK(contains(long_text.findings.text(), "longer than 4 MiB"));
}
