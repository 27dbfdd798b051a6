// GPT-2's tokenizer.json: the vectors of llama.cpp and the known hard texts.

#include <doctest/doctest.h>

#include <mortise/data/tokenizer.hpp>

#include "tests/tokenizers/llama_vectors.hpp"
#include "tests/unit/loaded_component.hpp"

using namespace mortise::tests;
using mortise::Tokenizer;
using Ids = std::vector<std::uint32_t>;

namespace {

const std::string kFile = MORTISE_SOURCE_DIR "/tests/tokenizers/models/gpt2_tokenizer.json";

const LoadedComponent& gpt2() {
  static const LoadedComponent component("huggingface", "huggingface", {{"file", kFile}});
  return component;
}

}  // namespace

TEST_CASE("gpt2: the texts of llama.cpp have their ids and come back") {
  const std::vector<std::string> texts = vector_texts("gpt-2");
  const std::vector<Ids> ids = lists_of_ids("ggml-vocab-gpt-2.gguf.out");
  REQUIRE(texts.size() == 46);
  REQUIRE(ids.size() == texts.size());
  const auto tokenizer = gpt2().as<Tokenizer>();
  for (std::size_t i = 0; i != texts.size(); ++i) {
    CAPTURE(texts[i]);
    CHECK(tokenizer.encode(texts[i]) == ids[i]);
    CHECK(tokenizer.decode(ids[i]) == texts[i]);
  }
}

TEST_CASE("gpt2: blanks, lines and digits fall as the pattern says (T-01, T-02)") {
  struct Row {
    const char* text;
    Ids ids;
  };
  const auto tokenizer = gpt2().as<Tokenizer>();
  for (const Row& row :
       {Row{"a  b", {64, 220, 275}}, Row{"a   ", {64, 220, 220, 220}},
        Row{"    Hello", {220, 220, 220, 18435}}, Row{"a \n b", {64, 220, 198, 275}},
        Row{"a\n\n\nb", {64, 628, 198, 65}}, Row{"1234567", {10163, 2231, 3134}},
        Row{"a<|endoftext|>b", {64, 50256, 65}}}) {
    CAPTURE(row.text);
    CHECK(tokenizer.encode(row.text) == row.ids);
  }
  const LoadedComponent as_text("huggingface", "huggingface",
                                {{"file", kFile}, {"special_in_text", "text"}});
  CHECK(as_text.as<Tokenizer>().encode("a<|endoftext|>b") ==
        Ids{64, 27, 91, 437, 1659, 5239, 91, 29, 65});
}

TEST_CASE("gpt2: one long run of a letter, a sign or blanks has its ids at once (T-08)") {
  const auto tokenizer = gpt2().as<Tokenizer>();
  CHECK(tokenizer.encode(std::string(20'000, 'a')).size() == 5'000);
  CHECK(tokenizer.encode(std::string(1'000'000, '^')).size() == 250'000);
  for (const char c : {'a', ' ', '\n', '0', '=', '-'}) {
    const std::string text(1'000'000, c);
    CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
  }
}

TEST_CASE("gpt2: facts of the vocabulary") {
  const auto tokenizer = gpt2().as<Tokenizer>();
  CHECK(tokenizer.vocabulary_size() == 50257);
  const auto special = tokenizer.special_tokens();
  REQUIRE(special.size() == 1);
  CHECK(special[0].name == "end_of_document");
  CHECK(special[0].id == 50256);
  // Stands in the side files of packed data: it must not change.
  CHECK(tokenizer.fingerprint() == "huggingface/1:cd3d99debe74831e112928b71a31ffa9");
}
