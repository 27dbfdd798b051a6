// 46 texts of llama.cpp and ids that other libraries give them: its own for GPT-2, those of
// sentencepiece 0.2.3 (botchan_*.out, written by make_goldens.py) for the models of sentencepiece's
// tests.

#include <doctest/doctest.h>

#include <mortise/data/tokenizer.hpp>

#include "llama_vectors.hpp"
#include "tests/unit/loaded_component.hpp"

using namespace mortise::tests;

namespace {

const std::string kModels = MORTISE_SOURCE_DIR "/tests/tokenizers/models/";

void check_ids(const LoadedComponent& component, const std::string& ids_file) {
  const auto tokenizer = component.as<mortise::Tokenizer>();
  const std::vector<std::string> texts = vector_texts("gpt-2");
  const auto ids = lists_of_ids(ids_file);
  REQUIRE(texts.size() == 46);
  REQUIRE(ids.size() == texts.size());
  for (std::size_t i = 0; i != texts.size(); ++i) {
    CAPTURE(texts[i]);
    CHECK(tokenizer.encode(texts[i]) == ids[i]);
  }
}

}  // namespace

TEST_CASE("tiktoken: GPT-2's ids of llama.cpp's texts, and the texts back") {
  const LoadedComponent component("tiktoken", "tiktoken",
                                  {{"file", kModels + "gpt2.tiktoken"}, {"pattern", "gpt2"}});
  check_ids(component, "ggml-vocab-gpt-2.gguf.out");
  const auto tokenizer = component.as<mortise::Tokenizer>();
  for (const std::string& text : vector_texts("gpt-2"))
    CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
}

TEST_CASE("sentencepiece: ids of llama.cpp's texts under a BPE and a Unigram model") {
  for (const std::string name : {"botchan_en_bpe_1000", "botchan_en_unigram_1000"}) {
    CAPTURE(name);
    check_ids({"sentencepiece", "sentencepiece", {{"file", kModels + name + ".model"}}},
              name + ".out");
  }
}

TEST_CASE("tiktoken: blanks, digits and special tokens of GPT-2 (T-01, T-02, T-05, T-08)") {
  const LoadedComponent component("tiktoken", "tiktoken",
                                  {{"file", kModels + "gpt2.tiktoken"}, {"pattern", "gpt2"}});
  const auto tokenizer = component.as<mortise::Tokenizer>();
  using Ids = std::vector<std::uint32_t>;
  CHECK(tokenizer.encode("a  b") == Ids{64, 220, 275});
  CHECK(tokenizer.encode("a   ") == Ids{64, 220, 220, 220});
  CHECK(tokenizer.encode("    Hello") == Ids{220, 220, 220, 18435});
  CHECK(tokenizer.encode("a \n b") == Ids{64, 220, 198, 275});
  CHECK(tokenizer.encode("a\n\n\nb") == Ids{64, 628, 198, 65});
  CHECK(tokenizer.encode("1234567") == Ids{10163, 2231, 3134});
  CHECK(tokenizer.encode("a<|endoftext|>b") == Ids{64, 27, 91, 437, 1659, 5239, 91, 29, 65});
  CHECK(tokenizer.encode(std::string(20'000, 'a')).size() == 5'000);
  CHECK(tokenizer.encode(std::string(1'000'000, '^')).size() == 250'000);
  CHECK(tokenizer.vocabulary_size() == 50257);
  const auto special = tokenizer.special_tokens();
  REQUIRE(special.size() == 1);
  CHECK(special[0].name == "end_of_document");
  CHECK(special[0].id == 50256);
}
