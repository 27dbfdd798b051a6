// Files that ask for what we lack, or cannot be: refused with the place and the name.

#include <doctest/doctest.h>

#include <mortise/data/tokenizer.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"
#include "tests/unit/tokenizers/tokenizer_golden.hpp"

using namespace mortise::tests;
using nlohmann::json;

namespace {

json small_file() {
  return {{"version", "1.0"},
          {"added_tokens", json::array()},
          {"pre_tokenizer", nullptr},
          {"model",
           {{"type", "BPE"},
            {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}, {"abab", 3}}},
            {"merges", {"a b", "ab ab"}}}}};
}

std::string refusal(const std::string& bytes) {
  const ScratchFolder folder;
  const std::string path = folder.write("tokenizer.json", bytes);
  return message_of<mortise::Error>([&] {
    LoadedComponent("huggingface", "huggingface", {{"file", path}});
  });
}

json added(const char* content, bool normalized = false) {
  return {{"id", 9},         {"content", content}, {"single_word", false},    {"lstrip", false},
          {"rstrip", false}, {"special", true},    {"normalized", normalized}};
}

}  // namespace

TEST_CASE("huggingface: what is lacking or wrong is named with its place") {
  REQUIRE(refusal(small_file().dump()).empty());
  struct Row {
    const char* at;  // JSON pointer
    json value;
    const char* where;
    const char* what;
  };
  const json gap = {{"a", 0}, {"b", 1}, {"ab", 2}, {"abab", 4}};
  for (const Row& row : {
           Row{"/version", "2.0", ": version", "2.0"},
           Row{"/truncation", {{"max_length", 512}}, ": truncation", "cut off"},
           Row{"/padding", {{"strategy", "BatchLongest"}}, ": padding", "filled up"},
           Row{"/post_processor", {{"type", "Odd"}}, ": post_processor", "\"Odd\""},
           Row{"/normalizer", {{"type", "BertNormalizer"}}, ": normalizer", "\"BertNormalizer\""},
           Row{"/normalizer",
               {{"type", "Precompiled"}, {"precompiled_charsmap", "*"}},
               ".precompiled_charsmap",
               "base64"},
           Row{"/pre_tokenizer",
               {{"type", "BertPreTokenizer"}},
               ": pre_tokenizer",
               "\"BertPreTokenizer\""},
           Row{"/pre_tokenizer",
               {{"type", "Sequence"}, {"pretokenizers", {{{"type", "UnicodeScripts"}}}}},
               ": pre_tokenizer.pretokenizers[0]",
               "\"UnicodeScripts\""},
           Row{"/pre_tokenizer",
               {{"type", "Sequence"},
                {"pretokenizers",
                 {{{"type", "ByteLevel"}}, {{"type", "Metaspace"}, {"replacement", "_"}}}}},
               ": pre_tokenizer.pretokenizers[1]",
               "behind ByteLevel"},
           Row{"/pre_tokenizer",
               {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"}},
               "(a",
               "cannot be compiled"},
           Row{"/pre_tokenizer",
               {{"type", "Split"}, {"pattern", {{"Regex", "a"}}}, {"behavior", "Odd"}},
               ".behavior",
               "\"Odd\""},
           Row{"/pre_tokenizer",
               {{"type", "Metaspace"}, {"replacement", "__"}},
               ".replacement",
               "one character"},
           Row{"/decoder", {{"type", "CTC"}}, ": decoder", "\"CTC\""},
           Row{"/model/type", "WordPiece", ": model asks", "\"WordPiece\""},
           Row{"/model/dropout", 0.1, ": model.dropout", "at random"},
           Row{"/model/continuing_subword_prefix", "##", ".continuing_subword_prefix", "\"##\""},
           Row{"/model/end_of_word_suffix", "</w>", ".end_of_word_suffix", "\"</w>\""},
           Row{"/model/unk_token", "<unk>", ": model.unk_token", "not in the vocabulary"},
           Row{"/model/vocab", json::object(), ": model.vocab", "empty"},
           Row{"/model/vocab/ab", 1, ": model.vocab", "the id 1 to both"},
           Row{"/model/vocab/ab", -1, ": model.vocab", "the id -1"},
           Row{"/model/vocab/ab", 4294967296, ": model.vocab", "16777215"},
           Row{"/model/vocab/ab", "2", ": model.vocab", "\"ab\""},
           Row{"/model/merges", nullptr, ": model", "no merges"},
           Row{"/model/merges", json::array(), ": model.merges", "empty"},
           Row{"/model/merges/1", "ab c", ": model.merges[1]", "\"c\""},
           Row{"/model/merges/1", "b a", ": model.merges[1]", "\"ba\""},
           Row{"/model/merges/1", "a b c", ": model.merges[1]", "one blank"},
           Row{"/model/merges/1", 7, ": model.merges[1]", "a pair of tokens"},
           Row{"/model/merges/1", {"a"}, ": model.merges[1]", "a pair of tokens"},
           Row{"/added_tokens",
               {added("x", true), added("X", true)},
               ": added_tokens",
               "looked for twice"},
           Row{"/added_tokens", {{{"id", 1}}}, ": added_tokens[0]", "content"},
       }) {
    CAPTURE(row.at);
    CAPTURE(row.value.dump());
    json file = small_file();
    if (std::string(row.at) == "/added_tokens") file["normalizer"] = {{"type", "Lowercase"}};
    file[json::json_pointer(row.at)] = row.value;
    const std::string message = refusal(file.dump());
    CAPTURE(message);
    CHECK(contains(message, row.where));
    CHECK(contains(message, row.what));
  }
  json file = small_file();
  file["model"]["vocab"] = gap;
  file["added_tokens"] = {added("x")};
  CHECK(contains(refusal(file.dump()), "have gaps"));
}

TEST_CASE("huggingface: a file that is no JSON, no object or not there is named") {
  CHECK(contains(refusal("{\"model\": "), "tokenizer.json is not valid JSON"));
  CHECK(contains(refusal(""), "tokenizer.json is not valid JSON"));
  CHECK(contains(refusal("[1]"), "is not an object"));
  CHECK(contains(refusal("{}"), "has no model"));
  CHECK(contains(refusal(R"({"model": {"vocab": {}}})"), "neither a type nor merges"));
  CHECK(contains(refusal(R"({"model": {"type": "BPE", "vocab": {"a": 0, "a": 1}, "merges": []}})"),
                 "\"a\" twice"));
  CHECK(contains(message_of<mortise::Error>([] {
                   LoadedComponent("huggingface", "huggingface", {{"folder", "/nowhere"}});
                 }),
                 "/nowhere/tokenizer.json"));
  CHECK(contains(message_of<mortise::Error>([] { LoadedComponent("huggingface", "huggingface"); }),
                 "either file or folder"));
}

TEST_CASE("huggingface: sections nested without end are refused") {
  std::string nested;
  for (int i = 0; i != 500; ++i) nested += R"({"type": "Sequence", "pretokenizers": [)";
  nested += R"({"type": "Whitespace"})";
  for (int i = 0; i != 500; ++i) nested += "]}";
  json file = small_file();
  std::string bytes = file.dump();
  const std::string mark = "\"pre_tokenizer\":null";
  bytes.replace(bytes.find(mark), mark.size(), "\"pre_tokenizer\":" + nested);
  CHECK(!refusal(bytes).empty());
}

TEST_CASE("huggingface: a pattern without end stops the text with its name, not the process") {
  json file = small_file();
  file["pre_tokenizer"] = {
      {"type", "Split"}, {"pattern", {{"Regex", "(a+)+$"}}}, {"behavior", "Isolated"}};
  const ScratchFolder folder;
  const LoadedComponent made("huggingface", "huggingface",
                             {{"file", folder.write("tokenizer.json", file.dump())}});
  const auto tokenizer = made.as<mortise::Tokenizer>();
  CHECK(contains(message_of<mortise::Error>([&] { tokenizer.encode(std::string(100, 'a') + "b"); }),
                 "(a+)+$"));
  CHECK(tokenizer.encode("ab") == std::vector<std::uint32_t>{2});
}

TEST_CASE("huggingface: replacements of a decoder that feed on each other stop the text") {
  json file = small_file();
  json steps = json::array();
  for (int i = 0; i != 40; ++i)
    steps.push_back({{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}});
  file["decoder"] = {{"type", "Sequence"}, {"decoders", steps}};
  const ScratchFolder folder;
  const LoadedComponent made("huggingface", "huggingface",
                             {{"file", folder.write("tokenizer.json", file.dump())}});
  const auto tokenizer = made.as<mortise::Tokenizer>();
  CHECK(contains(message_of<mortise::Error>([&] {
                   tokenizer.decode(std::vector<std::uint32_t>{0, 1});
                 }),
                 "feed on each other"));
  CHECK(tokenizer.decode(std::vector<std::uint32_t>{1}) == "b");
}

// The ids are those of tokenizers 0.23.3.
TEST_CASE("huggingface: merges in a circle, listed twice or before their parts end all the same") {
  using Ids = std::vector<std::uint32_t>;
  const auto ids_with = [](const json& model, std::string_view text) {
    json file = small_file();
    file["model"].update(model);
    const ScratchFolder folder;
    const LoadedComponent made("huggingface", "huggingface",
                               {{"file", folder.write("tokenizer.json", file.dump())}});
    return Ids(made.as<mortise::Tokenizer>().encode(text));
  };
  // Nothing and a become a, a and nothing too: the token without text is the unknown one.
  const json circle{{"vocab", {{"", 0}, {"a", 1}, {"b", 2}, {"ab", 3}}},
                    {"unk_token", ""},
                    {"merges", json::parse(R"([["", ""], ["", "a"], ["a", ""], ["a", "b"]])")}};
  CHECK(ids_with(circle, "xxab") == Ids{3});
  CHECK(ids_with(circle, "aab") == Ids{1, 3});
  CHECK(ids_with(circle, "xaxbx") == Ids{3, 0});
  const json twice{{"merges", {"a b", "ab ab", "a b"}}};
  CHECK(ids_with(twice, "abab") == Ids{3});
  CHECK(ids_with(twice, "aab") == Ids{0, 2});
  const json before_parts{{"merges", {"ab ab", "a b"}}};
  CHECK(ids_with(before_parts, "abababab") == Ids{3, 3});
}

TEST_CASE("huggingface: more added tokens than any file has are refused") {
  std::string bytes = small_file().dump();
  const std::string mark = "\"added_tokens\":[";
  std::string many;
  for (int i = 0; i != 1'000'000; ++i) many += "{},";
  bytes.insert(bytes.find(mark) + mark.size(), many + "{}");
  CHECK(contains(refusal(bytes), ": added_tokens has more than 1000000 tokens"));
}

TEST_CASE("huggingface: a million tokens and merges are read") {
  // Every pair of 1,000 letters.
  json vocab = json::object(), merges = json::array();
  std::vector<std::string> letters;
  for (int i = 0; i != 1000; ++i) {
    std::string letter{char(0xE4 + i / 500), char(0x80 + i / 64 % 64), char(0x80 + i % 64)};
    if (vocab.contains(letter)) continue;
    vocab[letter] = vocab.size();
    letters.push_back(letter);
  }
  for (const std::string& left : letters)
    for (const std::string& right : letters) {
      vocab[left + right] = vocab.size();
      merges.push_back(json::array({left, right}));
    }
  json file = small_file();
  file["model"]["vocab"] = std::move(vocab);
  file["model"]["merges"] = std::move(merges);
  const ScratchFolder folder;
  const LoadedComponent made("huggingface", "huggingface",
                             {{"file", folder.write("tokenizer.json", file.dump())}});
  const std::uint32_t n = std::uint32_t(letters.size());
  CHECK(made.as<mortise::Tokenizer>().encode(letters[5] + letters[7]) ==
        std::vector<std::uint32_t>{n + 5 * n + 7});
}
