// `--tokenizer` of the data commands as the path of a file, a folder or a run.

#include <doctest/doctest.h>

#include "tests/end_to_end/trial.hpp"
#include "tests/unit/tokenizers/sentencepiece_model.hpp"
#include "tests/unit/tokenizers/small_ranks.hpp"
#include "tests/unit/tokenizers/tokenizer_golden.hpp"

namespace {

using namespace mortise::tests;

// The golden case of Hugging Face's library that is used here, and what that library made of it.
struct Golden {
  std::string file, text, ids;
};
Golden huggingface_case() {
  const nlohmann::json& one = golden().at("cases").at(0);
  const auto& texts = golden().at("texts");
  std::size_t at = 0;
  while (texts.at(at) != "hello world") ++at;
  std::string ids;
  for (const auto& id : one.at("ids").at(at)) ids += (ids.empty() ? "" : " ") + id.dump();
  return {tokenizer_json(one).dump(), texts.at(at), ids + "\n"};
}

Outcome encode(const Trial& trial, const std::string& tokenizer, const std::string& text) {
  return trial.mortise({"data", "encode", "--tokenizer", tokenizer, text});
}

void check_ids(const Trial& trial, const std::string& tokenizer, const std::string& text,
               const std::string& ids) {
  CAPTURE(tokenizer);
  const Outcome outcome = encode(trial, tokenizer, text);
  check_done(outcome);
  CHECK(outcome.out == ids);
}

}  // namespace

TEST_CASE("tokenizer paths: files and folders are read by what their names say") {
  const Trial trial;
  const Golden golden = huggingface_case();
  trial.write("hf/tokenizer.json", golden.file);
  trial.write("hf/tokenizer.model", "not looked at beside a tokenizer.json");
  trial.write("other.name.json", golden.file);
  trial.write("sp/tokenizer.model", small_model(true));
  for (const char* path : {"hf", "./hf/", "hf/tokenizer.json", "other.name.json"})
    check_ids(trial, path, golden.text, golden.ids);
  check_ids(trial, trial.path("hf").string(), golden.text, golden.ids);
  for (const char* path : {"sp", "sp/tokenizer.model"})
    check_ids(trial, path, "a   b ", "268 266 259 261 259\n");
}

TEST_CASE("tokenizer paths: the name of a component is no path, whatever lies there") {
  const Trial trial;
  trial.write("byte/tokenizer.json", huggingface_case().file);
  check_ids(trial, "byte", "To", "84 111\n");
  check_ids(trial, "org.mortise.byte_tokenizer:byte", "To", "84 111\n");
  CHECK(encode(trial, "./byte", "hello world").out == huggingface_case().ids);
}

TEST_CASE("tokenizer paths: a run file's tokenizer, from its includes, relative to its files") {
  const Trial trial;
  const Golden golden = huggingface_case();
  trial.write("deep/files/tokenizer.json", golden.file);
  trial.write("deep/base.yaml", "tokenizer: {use: huggingface, folder: \"./${run.name}\"}\n");
  trial.write("deep/runs/files.yml", "mortise: 1\ninclude: ../base.yaml\nrun: {steps: 1}\n");
  check_ids(trial, "deep/runs/files.yml", golden.text, golden.ids);
  check_ids(trial, "run.yaml", "To", "84 111\n");
}

TEST_CASE("tokenizer paths: a run folder packs with the tokenizer of the run") {
  const Trial trial;
  trial.write("small.tiktoken", small_ranks({"bc", "ab", "abc", " a", "xyz"}));
  check_done(trial.run(
      1, sets({"tokenizer={use: tiktoken, file: small.tiktoken, pattern: gpt2}", "run.steps=1"})));
  check_ids(trial, "runs/tiny", "abcabc", "258 258\n");
  const auto pack = [&](const std::string& tokenizer, const std::string& out) {
    check_done(trial.mortise({"data", "pack", "words.txt", "--tokenizer", tokenizer, "-o", out}));
    return trial.read(out) + trial.read(out + ".json");
  };
  CHECK(pack("runs/tiny", "a.pbin") ==
        pack("{use: tiktoken, file: small.tiktoken, pattern: gpt2}", "b.pbin"));
}

TEST_CASE("tokenizer paths: one error says what is wrong and what to write") {
  const Trial trial;
  trial.write("empty/readme", "");
  trial.write("vocab.txt", "");
  trial.write("small.tiktoken", small_ranks());
  trial.write("bare.yaml", "mortise: 1\n");
  trial.write("broken.yaml", "tokenizer: [byte\n");
  trial.write("wrong.yaml", "tokenizer: {use: bite}\n");
  trial.write("unset.yaml", "tokenizer: {use: huggingface, file: \"${env:NO_SUCH_TOKENIZER}\"}\n");
  trial.write("bad/tokenizer.json", "{");
  const Words expected{"--tokenizer: error", "a name (byte, ", ".json, .model, .tiktoken",
                       "tokenizer.json, tokenizer.model", "{use: NAME, …}"};
  struct Row {
    std::string tokenizer;
    int exit;
    Words parts;
  };
  for (const Row& row : std::vector<Row>{
           {"none.json", 2, expected + Words{"C0001", "`none.json`: there is no such file"}},
           {"no/where", 2, expected + Words{"C0001", "`no/where`: there is no such file"}},
           {"vocab.txt", 2, expected + Words{"C0104", "`vocab.txt`: its ending"}},
           {"empty", 2, expected + Words{"C0104", "`empty`: the folder holds nothing"}},
           {"bare.yaml", 2, expected + Words{"C0102", "`bare.yaml`: has no section tokenizer"}},
           {"small.tiktoken",
            2,
            {"--tokenizer: error[C0102]: pattern: ", "cl100k_base",
             "write --tokenizer '{use: tiktoken, file: \"small.tiktoken\", pattern: …}'"}},
           {"broken.yaml", 2, {"broken.yaml:", "error[C0003]"}},
           {"wrong.yaml", 2, {"wrong.yaml:1:18: error[C0110]", "did you mean byte?"}},
           {"unset.yaml", 2, {"unset.yaml:1:37: error[C0033]", "NO_SUCH_TOKENIZER"}},
           {"bite", 2, {"--tokenizer: error[C0110]", "did you mean byte?"}},
           {"bad", 4, {"bad/tokenizer.json"}}}) {
    CAPTURE(row.tokenizer);
    check_refused(
        trial.mortise({"data", "pack", "words.txt", "--tokenizer", row.tokenizer, "-o", "o.pbin"}),
        row.exit, row.parts);
    CHECK_FALSE(trial.has("o.pbin"));
  }
}
