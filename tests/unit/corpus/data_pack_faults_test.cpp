// Records without a text: where `data pack` ends, what it leaves out, what it replaces, and what it
// says of them.

#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "plugins/data/pbin/side_file.hpp"
#include "tests/unit/corpus/packing.hpp"

namespace {

using namespace mortise::tests;
using Json = nlohmann::json;

struct Fault {
  int line;
  std::string reason, action;
};

std::vector<Fault> faults(const Packing& f) {
  std::istringstream lines(f.out.read("o.pbin.dropped.jsonl"));
  std::vector<Fault> all;
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line);
    all.push_back({json.at("line"), json.at("reason"), json.at("action")});
  }
  return all;
}

// Line 4 is blank; 2, 3, 5, 6, 7, 8 and 9 have no text.
constexpr const char* kRecords =
    "{\"text\":\"a\"}\n{\"text\": \"secret\"\n{\"txt\":\"b\"}\n   \n{\"text\":7}\n[1]\n"
    "{\"text\":\"x\xffy\"}\n{\"text\":\"h\\ud800i "
    "\\\\ud800\"}\n{\"text\":null}\n{\"text\":\"z\"}\n";

}  // namespace

TEST_CASE(
    "data pack: on_error fail names the first line that is bad, whatever the workers (D-01)") {
  const Packing f;
  f.in.write("a.jsonl", kRecords);
  for (const std::int64_t workers : {1, 8}) {
    const std::string message = f.refusal({"a.jsonl"}, {{"workers", workers}});
    CHECK(contains(message, "a.jsonl:2: not valid JSON"));
    CHECK_FALSE(contains(message, "secret"));
    CHECK(f.out.names().empty());
  }
}

TEST_CASE("data pack: a line far into a file, and one behind a long line, have their own numbers") {
  const Packing f;
  std::string text;
  for (int i = 0; i != 30000; ++i) text += "{\"text\":\"" + std::string(100, 'x') + "\"}\n";
  f.in.write("a.jsonl", text + "{}\n");
  CHECK(contains(f.refusal({"a.jsonl"}), "a.jsonl:30001: no key"));
  f.in.write("b.jsonl", "\n{\"text\":\"" + std::string(5 << 20, 'x') + "\"}\n\n{}\n");
  CHECK(contains(f.refusal({"b.jsonl"}), "b.jsonl:4: no key"));
}

TEST_CASE("data pack: on_error skip leaves out, counts and locates (D-01, D-02)") {
  const Packing f;
  f.in.write("a.jsonl", kRecords);
  const std::string printed = f.pack({"a.jsonl"}, {{"on_error", "skip"}, {"eod", "none"}});
  CHECK(contains(printed, "2 documents"));
  CHECK(contains(printed, "1 blank line skipped; 7 records skipped: see "));
  CHECK(documents(f.out.path("o.pbin")) == std::vector<Tokens>{{'a'}, {'z'}});
  const std::vector<Fault> found = faults(f);
  REQUIRE(found.size() == 7);
  const int lines[] = {2, 3, 5, 6, 7, 8, 9};
  const char* const reasons[] = {"not valid JSON",        "no key \"text\"", "is a number",
                                 "expected an object",    "not valid JSON",  "not valid JSON",
                                 "is null, expected text"};
  for (std::size_t i = 0; i != found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i].line == lines[i]);
    CHECK(contains(found[i].reason, reasons[i]));
    CHECK(found[i].action == "skipped");
  }
  CHECK_FALSE(contains(f.out.read("o.pbin.dropped.jsonl"), "secret"));
}

TEST_CASE("data pack: on_error replace keeps a document for each record") {
  const Packing f;
  f.in.write("a.jsonl", kRecords);
  f.in.write("b.txt", "p\xffq");
  const std::string printed = f.pack({"a.jsonl", "b.txt"}, {{"on_error", "replace"}});
  CHECK(contains(printed, "10 documents"));
  CHECK(contains(printed, "8 records replaced"));
  const Tokens empty = {256};
  CHECK(documents(f.out.path("o.pbin")) ==
        std::vector<Tokens>{{'a', 256},
                            empty,
                            empty,
                            empty,
                            empty,
                            {'x', 0xEF, 0xBF, 0xBD, 'y', 256},
                            {'h', 0xEF, 0xBF, 0xBD, 'i', ' ', '\\', 'u', 'd', '8', '0', '0', 256},
                            empty,
                            {'z', 256},
                            {'p', 0xEF, 0xBF, 0xBD, 'q', 256}});
  CHECK(faults(f).size() == 8);
  CHECK(faults(f).back().action == "replaced");
}

TEST_CASE(
    "data pack: an empty text is its end alone, and no document where there is no end (D-02)") {
  const Packing f;
  f.in.write("a.jsonl", "{\"text\":\"a\"}\n{\"text\":\"\"}\n");
  f.pack({"a.jsonl"});
  CHECK(documents(f.out.path("o.pbin")) == std::vector<Tokens>{{'a', 256}, {256}});
  const SettingList none = {{"eod", "none"}, {"overwrite", true}};
  CHECK(contains(f.refusal({"a.jsonl"}, none), "a.jsonl:2: empty text"));
  SettingList skip = none;
  skip.emplace_back("on_error", "skip");
  f.pack({"a.jsonl"}, skip);
  CHECK(documents(f.out.path("o.pbin")) == std::vector<Tokens>{{'a'}});
  CHECK(faults(f).size() == 1);
  f.in.write("b.jsonl", "{\"text\":\"a\"}\n");
  f.pack({"b.jsonl"}, skip);
  CHECK(f.out.names() == Names{"o.pbin", "o.pbin.json"});  // the report of before is gone
}

TEST_CASE("data pack: JSON lines for programs") {
  const Packing f;
  f.in.write("a.jsonl", kRecords);
  const std::string printed = f.pack({"a.jsonl"}, {{"on_error", "skip"}, {"json", true}});
  const Json result = Json::parse(printed.substr(printed.rfind("\n{") + 1));
  CHECK(result.at("type") == "result");
  CHECK(result.at("documents") == 2);
  CHECK(result.at("tokens") == 4);
  CHECK(result.at("skipped") == 7);
  CHECK(result.at("blank_lines") == 1);
  CHECK(result.at("done_bytes") == result.at("total_bytes"));
  CHECK(result.at("report") == f.out.path("o.pbin.dropped.jsonl"));
  CHECK(result.at("files").at(0).at("file") == f.out.path("o.pbin"));
  CHECK(result.at("files").at(0).at("bytes_per_token") == 2);
}

TEST_CASE("data pack: a disk that is full is one error of storage, and nothing is left") {
  const Packing f;
  f.in.write("a.txt", std::string(6 << 20, 'x'));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit small = before;
  small.rlim_cur = 4 << 20;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  mortise::ErrorCode code{};
  try {
    f.pack({"a.txt"});
  } catch (const mortise::Error& e) {
    code = e.code();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK(code == mortise::ErrorCode::storage);
  CHECK(f.out.names().empty());
}
