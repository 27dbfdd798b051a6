// The huggingface tokenizer against what Hugging Face's own library gave (tests/golden/
// make_tokenizer_golden.py), and against the cases that other ports got wrong.

#include <doctest/doctest.h>

#include <mortise/data/tokenizer.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"
#include "tests/unit/tokenizers/tokenizer_golden.hpp"

using namespace mortise::tests;
using mortise::Tokenizer;
using nlohmann::json;
using Ids = std::vector<std::uint32_t>;

namespace {

// A tokenizer made of a tokenizer.json.
class Made {
 public:
  explicit Made(const json& file, SettingList more = {})
      : component_("huggingface", "huggingface", settings(file, std::move(more))) {}
  mortise::Remote<Tokenizer> operator*() const { return component_.as<Tokenizer>(); }
  Ids encode(std::string_view text) const { return component_.as<Tokenizer>().encode(text); }
  bool has_logged(std::string_view text) const {
    for (const std::string& line : component_.log())
      if (contains(line, text)) return true;
    return false;
  }

 private:
  SettingList settings(const json& file, SettingList more) {
    more.emplace_back("file", folder_.write("tokenizer.json", file.dump()));
    return more;
  }
  ScratchFolder folder_;
  LoadedComponent component_;
};

json case_named(const std::string& name) {
  for (const json& one : golden().at("cases"))
    if (one.at("name") == name) return one;
  FAIL("no case " << name);
  return {};
}

}  // namespace

TEST_CASE("huggingface: ids and texts are those of tokenizers, whatever the file asks for") {
  const auto texts = golden().at("texts").get<std::vector<std::string>>();
  for (const json& one : golden().at("cases")) {
    CAPTURE(one.at("name").get<std::string>());
    const Made made(tokenizer_json(one));
    const auto tokenizer = *made;
    for (std::size_t i = 0; i != texts.size(); ++i) {
      CAPTURE(texts[i]);
      const Ids ids = one.at("ids")[i].get<Ids>();
      CHECK(tokenizer.encode(texts[i]) == ids);
      CHECK(tokenizer.encode(texts[i]) == ids);  // the words are known by now
      CHECK(tokenizer.decode(ids) == one.at("decoded")[i].get<std::string>());
    }
  }
}

TEST_CASE("huggingface: a batch has the ids of its texts") {
  const json one = case_named("flags");
  const Made made(tokenizer_json(one));
  const auto texts = golden().at("texts").get<std::vector<std::string>>();
  const mortise::EncodedBatch batch =
      (*made).encode_batch(std::vector<std::string_view>(texts.begin(), texts.end()));
  Ids all;
  for (std::size_t i = 0; i != texts.size(); ++i) {
    const Ids ids = one.at("ids")[i].get<Ids>();
    all.insert(all.end(), ids.begin(), ids.end());
    CHECK(batch.ends[i] == std::int64_t(all.size()));
  }
  CHECK(batch.ids == all);
}

TEST_CASE("huggingface: threads have their own words, and the same ids") {
  const json one = case_named("gpt2");
  const Made made(tokenizer_json(one));
  const auto tokenizer = *made;
  const auto texts = golden().at("texts").get<std::vector<std::string>>();
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t != wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (std::size_t n = 0; n != 20 * texts.size(); ++n) {
        const std::size_t i = (n * (t + 1)) % texts.size();
        wrong[t] += tokenizer.encode(texts[i]) != one.at("ids")[i].get<Ids>();
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::array<int, 4>{});
}

TEST_CASE("huggingface: the last blank of a run goes with the word (T-01)") {
  const Made made(tokenizer_json(case_named("A")));
  CHECK(made.encode("hello  hello") == Ids{259, 32, 260});
  CHECK(made.encode("    hello") == Ids{263, 32, 260});
  CHECK(made.encode("hello    ") == Ids{259, 264});
}

TEST_CASE("huggingface: digits are grouped as the pattern says (T-02)") {
  CHECK(Made(tokenizer_json(case_named("A"))).encode("3333333") == Ids{261, 261, 262});
  CHECK(Made(tokenizer_json(case_named("A, llama 3"))).encode("3333333") == Ids{262, 262, 51});
}

TEST_CASE("huggingface: a word of the vocabulary is taken whole where merges are ignored (T-03)") {
  CHECK(Made(tokenizer_json(case_named("A, llama 3"))).encode("world hello") ==
        Ids{119, 111, 114, 108, 100, 260});
  CHECK(Made(tokenizer_json(case_named("A, ignore merges"))).encode("world hello") ==
        Ids{265, 260});
}

TEST_CASE("huggingface: merges may be pairs or lines, and a pair may have a real blank (T-04)") {
  json file = tokenizer_json(case_named("A"));
  json lines = json::array({"#version: 0.2"});
  for (const json& pair : file["model"]["merges"])
    lines.push_back(pair[0].get<std::string>() + " " + pair[1].get<std::string>());
  json old = file;
  old["model"]["merges"] = lines;
  CHECK(Made(old).encode("hello  hello 3333333") == Made(file).encode("hello  hello 3333333"));
  CHECK((*Made(old)).fingerprint() == (*Made(file)).fingerprint());

  const Made blank(json{{"model",
                         {{"type", "BPE"},
                          {"vocab", {{" ", 0}, {"a", 1}, {" a", 2}}},
                          {"merges", json::array({json::array({" ", "a"})})}}}});
  CHECK(blank.encode(" a a") == Ids{2, 2});
}

TEST_CASE("huggingface: text that spells a special token becomes it, or text, as asked (T-05)") {
  const json file = tokenizer_json(case_named("A"));
  const Made as_token(file);
  CHECK(as_token.encode("hello[END]hello") == Ids{259, 266, 259});
  CHECK(as_token.has_logged("becomes that token"));
  const Made as_text(file, {{"special_in_text", "text"}});
  CHECK(as_text.encode("hello[END]hello") == Ids{259, 91, 69, 78, 68, 93, 259});
  CHECK(as_text.has_logged("tokens of its letters"));
  CHECK((*as_text).decode(Ids{259, 266}) == "hello");
  CHECK((*as_text).fingerprint() != (*as_token).fingerprint());
}

TEST_CASE("huggingface: characters without a token become bytes, unknown, or an error (T-07)") {
  json vocab{{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}};
  const char* digits = "0123456789ABCDEF";
  for (unsigned byte = 0; byte != 256; ++byte)
    vocab[std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">"] = 3 + byte;
  std::uint32_t next = 259;
  for (const char* token : {"▁", "a", "b", "h", "i", "▁h", "▁hi", "▁▁", "hi", "▁a"})
    vocab[token] = next++;
  json file{{"normalizer",
             {{"type", "Sequence"},
              {"normalizers",
               {{{"type", "Prepend"}, {"prepend", "▁"}},
                {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}}}}}},
            {"decoder",
             {{"type", "Sequence"},
              {"decoders",
               {{{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}},
                {{"type", "ByteFallback"}},
                {{"type", "Fuse"}},
                {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
            {"model",
             {{"type", "BPE"},
              {"unk_token", "<unk>"},
              {"byte_fallback", true},
              {"vocab", vocab},
              {"merges", {"▁ h", "▁h i", "▁ ▁", "h i", "▁ a"}}}}};
  struct Row {
    const char* text;
    Ids with_bytes, without;
  };
  const Made with_bytes(file);
  file["model"]["byte_fallback"] = false;
  const Made without(file);
  for (const Row& row :
       {Row{"h\ni", {264, 13, 263}, {264, 0, 263}}, Row{"é", {259, 198, 172}, {259, 0}},
        Row{"🦙", {259, 243, 162, 169, 156}, {259, 0}}}) {
    CAPTURE(row.text);
    CHECK(with_bytes.encode(row.text) == row.with_bytes);
    CHECK((*with_bytes).decode(row.with_bytes) == row.text);
    CHECK(without.encode(row.text) == row.without);
  }
}

TEST_CASE("huggingface: a template adds nothing; its token is there for who asks for it (T-09)") {
  const Made made(tokenizer_json(case_named("A, template")));
  CHECK(made.encode("hello hello") == Ids{259, 260});
  CHECK(made.encode("").empty());
  const auto special = (*made).special_tokens();
  REQUIRE(special.size() == 2);
  CHECK(special[0].name == "end_of_document");
  CHECK(special[0].id == 266);
  CHECK(special[1].name == "begin_of_document");
  CHECK(special[1].id == 266);
}

TEST_CASE("huggingface: invalid bytes count as replacement characters") {
  const Made made(tokenizer_json(case_named("gpt2")));
  const std::string sign = "\xEF\xBF\xBD";
  CHECK(made.encode("a\xFFz") == made.encode("a" + sign + "z"));
  CHECK(made.encode("\xE2\x82 \xE2\x82") == made.encode(sign + " " + sign));
  CHECK(made.encode("\xED\xA0\x80") == made.encode(sign + sign + sign));
  CHECK(made.encode("\xF0\x9F\x98") == made.encode(sign));
}

TEST_CASE("huggingface: tokenizer_config.json names the ends of a document; usual names do, too") {
  const ScratchFolder folder;
  const json file = tokenizer_json(case_named("gpt2"));
  folder.write("tokenizer.json", file.dump());
  const auto roles = [](const LoadedComponent& component) {
    std::map<std::string, std::int64_t> all;
    for (const auto& token : component.as<Tokenizer>().special_tokens()) all[token.name] = token.id;
    return all;
  };
  using Roles = std::map<std::string, std::int64_t>;
  const SettingList settings{{"folder", folder.path()}};
  const Made made(file);
  const auto id = [&](const char* token) { return std::int64_t(made.encode(token).at(0)); };
  const Roles usual{{"end_of_document", id("</s>")}, {"begin_of_document", id("<s>")}};
  CHECK(roles(LoadedComponent("huggingface", "huggingface", settings)) == usual);
  folder.write("tokenizer_config.json",
               R"({"eos_token": "<|end|>", "bos_token": null, "pad_token": {"content": "a"}})");
  const Roles named{
      {"end_of_document", id("<|end|>")}, {"begin_of_document", id("<s>")}, {"padding", id("a")}};
  CHECK(roles(LoadedComponent("huggingface", "huggingface", settings)) == named);
  folder.write("tokenizer_config.json", R"({"eos_token": "<|nowhere|>"})");
  const std::string message =
      message_of<mortise::Error>([&] { LoadedComponent("huggingface", "huggingface", settings); });
  CHECK(contains(message, "tokenizer_config.json"));
  CHECK(contains(message, "<|nowhere|>"));
}

TEST_CASE(
    "huggingface: an added token has the id that tokenizers gives it, and a warning says so") {
  json file = tokenizer_json(case_named("A"));
  file["added_tokens"][0]["id"] = 300;
  const Made made(file);
  CHECK(made.encode("[END]") == Ids{266});
  CHECK((*made).vocabulary_size() == 267);
  CHECK(made.has_logged("has the id 266, not 300"));
}
