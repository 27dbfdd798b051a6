// The commands on token files but `data convert`, which has a file of its own.

#include <filesystem>
#include <mortise/data/tokenizer.hpp>
#include <mortise/error.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/unit/token_files/command.hpp"

namespace {

using namespace mortise::tests;
using mortise::ErrorCode;
using mortise::token_files::TokenFile;
using nlohmann::json;

std::vector<Tokens> documents_in(const std::string& path) { return documents_of(TokenFile(path)); }

struct Files {
  ScratchFolder folder;
  std::string a = packed(folder.path("a.pbin"), {{97, 97, 256}, {98, 256}});
  std::string b = packed(folder.path("b.pbin"), {{256}, {99, 99, 99, 99, 256}});
  std::string out = folder.path("o.pbin");

  SettingList settings(const std::vector<std::string>& inputs, const SettingList& more = {}) const {
    return SettingList{{"inputs", inputs}, {"out", out}} + more;
  }
  void check_nothing_written() const {
    for (const std::string& name : folder.names()) CHECK(name[0] != 'o');
  }
};

mortise::pbin::SideFile side_of(const std::string& path) {
  const auto side = mortise::pbin::read_side_file(path);
  REQUIRE(side.has_value());
  return *side;
}

// Many documents of different sizes; no two alike.
std::vector<Tokens> many(std::int64_t count) {
  std::vector<Tokens> all;
  for (std::int64_t i = 0; i != count; ++i) {
    Tokens& tokens = all.emplace_back(std::size_t(i % 5), i % 200);
    for (const std::int64_t digit : {i / 40000, i / 200 % 200, i % 200}) tokens.push_back(digit);
    tokens.push_back(256);
  }
  return all;
}

}  // namespace

TEST_CASE("data merge: documents of all files in order, with the facts of all") {
  const Files f;
  CHECK(run("data.merge", f.settings({f.a, f.b})) ==
        "4 documents, 11 tokens, 22 bytes in " + f.out + "\n");
  CHECK(documents_in(f.out) ==
        std::vector<Tokens>{{97, 97, 256}, {98, 256}, {256}, {99, 99, 99, 99, 256}});
  const auto side = side_of(f.out);
  CHECK(side.tokenizer_fingerprint == "byte/1");
  CHECK(side.vocabulary_size == 257);
  CHECK(side.end_of_document == 256);
  CHECK(side.documents == 4);
  CHECK(side.sources.size() == 2);
  // Modalities' own merge makes offsets 12 too small for each file before: then documents overlap.
  const auto documents = golden_documents();
  const auto half = [&](const char* name, std::size_t first) {
    return packed(f.folder.path(name), {documents[first], documents[first + 1]});
  };
  run("data.merge",
      f.settings({half("front.pbin", 0), half("back.pbin", 2)}, {{"overwrite", true}}));
  CHECK(f.folder.read("o.pbin") == bytes_of_file(golden("modalities_2.pbin")));
}

TEST_CASE("data merge: one file merged is that file; other formats and widths are joined") {
  const Files f;
  run("data.merge", f.settings({f.a}));
  CHECK(f.folder.read("o.pbin") == f.folder.read("a.pbin"));
  CHECK(f.folder.read("o.pbin.json") == f.folder.read("a.pbin.json"));
  run("data.merge",
      f.settings({golden("megatron.idx"), golden("numpy_i8.npy"), golden("modalities_1.pbin")},
                 {{"eod", 256}, {"overwrite", true}}));
  auto expected = golden_documents();
  for (const Tokens& document : golden_documents()) expected.push_back(document);
  for (Tokens document : golden_documents()) {
    for (std::int64_t& id : document) id %= 256;
    expected.push_back(document);
  }
  CHECK(documents_in(f.out) == expected);
  CHECK(side_of(f.out).tokenizer_fingerprint.empty());
}

TEST_CASE("data merge: files of different or unknown tokenizers are not mixed") {
  const Files f;
  const std::string other = packed(f.folder.path("c.pbin"), {{1, 256}}, "gpt2/1", 50257);
  const std::string unknown = packed(f.folder.path("d.pbin"), {{5, 256}});
  std::filesystem::remove(unknown + ".json");
  CHECK(contains(refusal("data.merge", ErrorCode::bad_data, f.settings({f.a, other})),
                 "c.pbin was packed with tokenizer gpt2/1, " + f.a + " with byte/1"));
  CHECK(contains(refusal("data.merge", ErrorCode::bad_data,
                         f.settings({f.a, other}, {{"unknown_fits", true}})),
                 "gpt2/1"));
  for (const auto& inputs : {std::vector{f.a, unknown}, std::vector{unknown, f.a}})
    CHECK(contains(refusal("data.merge", ErrorCode::bad_data, f.settings(inputs)),
                   "d.pbin: nothing says which tokenizer packed it"));
  f.check_nothing_written();
  run("data.merge", f.settings({unknown, f.a}, {{"unknown_fits", true}}));
  CHECK(side_of(f.out).tokenizer_fingerprint == "byte/1");
  CHECK(documents_in(f.out)[0] == Tokens{5, 256});
}

TEST_CASE(
    "commands that write: what is there stays unless it may be replaced, names end in .pbin") {
  const Files f;
  f.folder.write("o.pbin", "x");
  f.folder.write("o.00002-of-00002.pbin", "x");
  const SettingList parts = {{"parts", 2}}, rule = {{"unique", true}};
  for (const auto& [key, more] :
       std::vector<std::pair<std::string, SettingList>>{{"data.merge", {}},
                                                        {"data.shuffle", {}},
                                                        {"data.filter", rule},
                                                        {"data.chunk", parts}}) {
    CAPTURE(key);
    CHECK(contains(refusal(key, ErrorCode::bad_settings, f.settings({f.a}, more)),
                   "is there already"));
    CHECK(contains(
        refusal(key, ErrorCode::bad_settings,
                SettingList{{"inputs", std::vector{f.a}}, {"out", f.folder.path("o.npy")}} + more),
        "data convert"));
    CHECK(contains(
        refusal(key, ErrorCode::bad_data,
                f.settings({f.folder.path("none.pbin")}, more + SettingList{{"overwrite", true}})),
        "none.pbin: No such file"));
    CHECK(contains(refusal(key, ErrorCode::bad_data,
                           f.settings({golden("megatron_split.idx")},
                                      more + SettingList{{"overwrite", true}})),
                   "several sequences"));
    CHECK(contains(
        refusal(
            key, ErrorCode::storage,
            SettingList{{"inputs", std::vector{f.a}}, {"out", f.folder.path("no/o.pbin")}} + more),
        "cannot be written"));
  }
  CHECK(f.folder.read("o.pbin") == "x");
}

TEST_CASE("data shuffle: the same documents in an order that the seed alone gives") {
  for (const std::int64_t count : {200, 70000}) {  // both ways of permuting
    CAPTURE(count);
    const Files f;
    const auto documents = many(count);
    const std::string input = packed(f.folder.path("many.pbin"), documents);
    const auto shuffled = [&](std::int64_t seed) {
      run("data.shuffle", f.settings({input}, {{"seed", seed}, {"overwrite", true}}));
      return documents_in(f.out);
    };
    const auto first = shuffled(7);
    const std::string bytes = f.folder.read("o.pbin");
    CHECK(first != documents);
    CHECK(std::multiset<Tokens>(first.begin(), first.end()) ==
          std::multiset<Tokens>(documents.begin(), documents.end()));
    std::size_t stayed = 0;
    for (std::size_t i = 0; i != first.size(); ++i) stayed += first[i] == documents[i];
    CHECK(stayed < 20);
    CHECK(shuffled(8) != first);
    CHECK(shuffled(7) == first);
    CHECK(f.folder.read("o.pbin") == bytes);
  }
}

TEST_CASE("data chunk: parts of equal numbers of documents or tokens, in order and complete") {
  const Files f;
  const auto documents = many(11);
  const std::string input = packed(f.folder.path("many.pbin"), documents);
  const auto parts = [&](const char* by) {
    run("data.chunk", f.settings({input}, {{"parts", 4}, {"by", by}, {"overwrite", true}}));
    std::vector<std::vector<Tokens>> all;
    for (int p = 1; p <= 4; ++p)
      all.push_back(documents_in(f.folder.path("o.0000" + std::to_string(p) + "-of-00004.pbin")));
    return all;
  };
  for (const char* by : {"documents", "tokens"}) {
    CAPTURE(by);
    std::vector<Tokens> together;
    for (const auto& part : parts(by)) together.insert(together.end(), part.begin(), part.end());
    CHECK(together == documents);
  }
  const auto by_documents = parts("documents");
  CHECK(by_documents[0].size() == 3);
  CHECK(by_documents[2].size() == 3);
  CHECK(by_documents[3].size() == 2);  // the first 11 mod 4 have one more
  // 64 tokens: quarters begin at 0, 16, 32 and 48.
  const auto by_tokens = parts("tokens");
  for (std::size_t p = 0, before = 0; p != 4; ++p)
    for (const Tokens& document : by_tokens[p]) {
      CHECK(before * 4 / 64 == p);
      before += document.size();
    }
  CHECK(side_of(f.folder.path("o.00001-of-00004.pbin")).tokenizer_fingerprint == "byte/1");
}

TEST_CASE("data chunk: a document that begins where a part does belongs to that part") {
  const Files f;
  const std::string even =
      packed(f.folder.path("even.pbin"), {{1, 256}, {2, 256}, {3, 256}, {4, 256}});
  run("data.chunk", f.settings({even}, {{"parts", 2}, {"by", "tokens"}}));
  CHECK(documents_in(f.folder.path("o.00001-of-00002.pbin")) ==
        std::vector<Tokens>{{1, 256}, {2, 256}});
  CHECK(documents_in(f.folder.path("o.00002-of-00002.pbin")) ==
        std::vector<Tokens>{{3, 256}, {4, 256}});
}

TEST_CASE("data chunk: a part without a document is refused before anything is written") {
  const Files f;
  CHECK(contains(refusal("data.chunk", ErrorCode::bad_data,
                         f.settings({f.a}, {{"parts", 3}, {"by", "documents"}})),
                 "part 3 of 3 would be empty: there are 2 documents"));
  const std::string uneven = packed(f.folder.path("u.pbin"), {Tokens(100, 1), {1}, {1}});
  CHECK(contains(refusal("data.chunk", ErrorCode::bad_data, f.settings({uneven}, {{"parts", 3}})),
                 "part 2 of 3 would be empty"));
  f.check_nothing_written();
}

TEST_CASE("data filter: rules by tokens and repeats, each with its count") {
  const Files f;
  const std::string input =
      packed(f.folder.path("many.pbin"),
             {{1, 256}, {1, 2, 256}, {1, 256}, {256}, {1, 2, 3, 4, 256}, {1, 2, 256}, {2, 1, 256}});
  CHECK(run("data.filter",
            f.settings({input}, {{"min_tokens", 2}, {"max_tokens", 4}, {"unique", true}})) ==
        "3 documents, 8 tokens, 16 bytes in " + f.out +
            "; dropped: 1 too short, 1 too long, 2 repeated\n");
  CHECK(documents_in(f.out) == std::vector<Tokens>{{1, 256}, {1, 2, 256}, {2, 1, 256}});
  // A rule that all keep to gives the same file; repeats are found over files.
  run("data.filter", f.settings({input}, {{"min_tokens", 0}, {"overwrite", true}}));
  CHECK(f.folder.read("o.pbin") == f.folder.read("many.pbin"));
  const auto report = json::parse(
      run("data.filter",
          f.settings({f.a, f.a}, {{"unique", true}, {"overwrite", true}, {"json", true}})));
  CHECK(report["files"][0]["documents"] == 2);
  CHECK(report["repeated"] == 2);
}

TEST_CASE("data filter: no rule, rules against each other, and nothing left") {
  const Files f;
  CHECK(contains(refusal("data.filter", ErrorCode::bad_settings, f.settings({f.a})), "no rule"));
  CHECK(contains(refusal("data.filter", ErrorCode::bad_settings,
                         f.settings({f.a}, {{"min_tokens", 5}, {"max_tokens", 4}})),
                 "min_tokens 5"));
  CHECK(
      contains(refusal("data.filter", ErrorCode::bad_data, f.settings({f.a}, {{"min_tokens", 4}})),
               "no document is left; dropped: 2 too short"));
  f.check_nothing_written();
}

TEST_CASE("data verify: good files, and each thing that can be wrong with one") {
  const Files f;
  const SettingList a = {{"inputs", std::vector{f.a}}};
  CHECK(run("data.verify", a) ==
        f.a + ": ok, 2 documents, 5 tokens, largest id 256, checksum as written\n");
  CHECK(run("data.verify", {{"inputs", std::vector{golden("megatron.idx")}}}) ==
        golden("megatron.idx") +
            ": ok, 4 documents, 307 tokens, largest id 256, no checksum to compare\n");
  CHECK(contains(
      refusal("data.verify", ErrorCode::bad_data, a + SettingList{{"vocabulary_size", 256}}),
      "a.pbin: token 2 has id 256, expected 0 to 255"));

  const std::string good = f.folder.read("a.pbin"), side = f.folder.read("a.pbin.json");
  const auto with_side = [&](const std::string& from, const std::string& to) {
    std::string changed = side;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    changed.replace(at, from.size(), to);
    f.folder.write("a.pbin.json", changed);
    return refusal("data.verify", ErrorCode::bad_data, a);
  };
  CHECK(contains(with_side("\"documents\": 2", "\"documents\": 3"),
                 "documents 2, " + f.a + ".json says 3"));
  CHECK(
      contains(with_side("\"largest_token\": 256", "\"largest_token\": 99"), "largest id is 256"));
  CHECK(contains(with_side("\"tokens\": 5,\n", "\"tokens\": 6,\n"), "belongs to another file"));
  CHECK(contains(with_side("\"vocabulary_size\": 257", "\"vocabulary_size\": 98"),
                 "token 2 has id 256"));
  f.folder.write("a.pbin.json", side);
  for (std::size_t at = 12; at != 22; ++at) {  // one bit of the tokens
    std::string flipped = good;
    flipped[at] = char(flipped[at] ^ 1);
    f.folder.write("a.pbin", flipped);
    CHECK(contains(refusal("data.verify", ErrorCode::bad_data, a), "checksum"));
  }
  for (std::size_t size = 0; size != good.size(); ++size) {
    CAPTURE(size);
    f.folder.write("a.pbin", good.substr(0, size));
    CHECK(contains(refusal("data.verify", ErrorCode::bad_data, a), "a.pbin"));
  }
}

TEST_CASE("data verify: all files are looked at, in JSON as well") {
  const Files f;
  f.folder.write("bad.pbin", "no");
  const std::vector<std::string> inputs = {f.folder.path("bad.pbin"), f.a};
  std::istringstream lines(run("data.verify", {{"inputs", inputs}, {"json", true}}, 4));
  std::string line;
  std::getline(lines, line);
  CHECK(json::parse(line)["ok"] == false);
  CHECK(contains(json::parse(line)["error"], "bad.pbin is no complete .pbin file"));
  std::getline(lines, line);
  CHECK(json::parse(line)["ok"] == true);
  CHECK(json::parse(line)["documents"] == 2);
  CHECK(contains(refusal("data.verify", ErrorCode::bad_data, {{"inputs", inputs}}), "bad.pbin"));
}

TEST_CASE("data verify, data inspect: with a tokenizer") {
  const Files f;
  const LoadedComponent bytes("byte_tokenizer", "byte");
  const auto with = [&](const std::string& file) {
    return SettingList{{"inputs", std::vector{file}},
                       {"tokenizer", bytes.object<mortise::Tokenizer>()}};
  };
  CHECK(contains(run("data.verify", with(f.a)), "ok"));
  const std::string other = packed(f.folder.path("c.pbin"), {{1, 256}}, "gpt2/1", 50257);
  for (const char* command : {"data.verify", "data.inspect"})
    CHECK(contains(refusal(command, ErrorCode::bad_data, with(other)),
                   "was packed with tokenizer gpt2/1, expected byte/1"));
  const std::string ids = f.folder.write("ids.bin", std::string("\x01\x02", 2));  // nanoGPT
  CHECK(contains(refusal("data.inspect", ErrorCode::bad_data, with(ids)),
                 "ids.bin: id 513: the tokenizer has 0 to 256"));
  CHECK(run("data.inspect", with(f.a)) ==
        f.a +
            "\n"
            "  format     .pbin, 2 bytes a token\n"
            "  tokens     5\n"
            "  documents  2, of 2 to 3 tokens\n"
            "  tokenizer  byte/1, 257 ids, documents end with 256\n"
            "  made of    text.jsonl\n"
            "  document 0, 3 tokens: 97 97 256\n"
            "    \"aa\"\n"
            "  document 1, 2 tokens: 98 256\n"
            "    \"b\"\n");
}

TEST_CASE("data inspect: files of every format, as text and as JSON") {
  const auto inspect = [](const std::string& name, const SettingList& more = {}) {
    return run("data.inspect", SettingList{{"inputs", std::vector{golden(name)}}} + more);
  };
  CHECK(contains(inspect("nanogpt.bin"), "nanoGPT, 2 bytes a token"));
  CHECK(contains(inspect("nanogpt.bin"), "not known to this format"));
  CHECK(contains(inspect("llm_c_4.bin"), "llm.c, 4 bytes a token"));
  CHECK(contains(inspect("megatron.idx", {{"tokens", 3}}), "document 0, 3 tokens: 97 97 256\n"));
  const auto report =
      json::parse(inspect("modalities_2.pbin", {{"json", true}, {"documents", 2}, {"tokens", 2}}));
  CHECK(report["format"] == ".pbin");
  CHECK(report["bytes_per_token"] == 2);
  CHECK(report["tokens"] == 307);
  CHECK(report["documents"] == 4);
  CHECK(report["shortest"] == 1);
  CHECK(report["longest"] == 301);
  CHECK(report["tokenizer_fingerprint"].is_null());
  CHECK(report["first_documents"] ==
        json::parse("[{\"tokens\":3,\"ids\":[97,97]},{\"tokens\":2,\"ids\":[98,256]}]"));
  const auto flat = json::parse(inspect("numpy_u2.npy", {{"json", true}}));
  CHECK(flat["documents"].is_null());
  CHECK(flat["shortest"].is_null());
}
