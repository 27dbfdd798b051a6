#include "plugins/data/tiktoken/special_tokens.hpp"

#include <doctest/doctest.h>

#include "tests/unit/plugins_data/scratch_folder.hpp"

using namespace mortise::tests;
using namespace mortise::tiktoken;

TEST_CASE("special tokens: those given come to those of the encoding, or take their place") {
  const SpecialTokens tokens(known_encoding("cl100k_base"),
                             {{"<|endoftext|>", 100300}, {"<|mine|>", 100301}}, std::nullopt,
                             100256);
  CHECK(tokens.end_id() == 100302);
  REQUIRE(tokens.roles().size() == 1);
  CHECK(tokens.roles()[0].id == 100300);
  const SpecialTokens ended(nullptr, {{"<|mine|>", 7}}, "<|mine|>", 5);
  CHECK(ended.end_id() == 8);
  CHECK(ended.roles()[0].name == "end_of_document");
  CHECK(ended.roles()[0].id == 7);
  CHECK(tokens.description() != ended.description());
}

TEST_CASE("special tokens: an encoding keeps room for its reserved ids") {
  const SpecialTokens tokens(known_encoding("llama3"), {}, std::nullopt, 128000);
  CHECK(tokens.end_id() == 128256);
  REQUIRE(tokens.roles().size() == 2);
  CHECK(tokens.roles()[0].id == 128001);
  CHECK(tokens.roles()[1].name == "begin_of_document");
  CHECK(tokens.roles()[1].id == 128000);
  CHECK(known_encoding("unknown") == nullptr);
}

TEST_CASE("special tokens: ids that clash are refused") {
  const auto refusal = [](std::vector<GivenToken> given, std::optional<std::string_view> end = {}) {
    return message_of<mortise::ConfigError>([&] { SpecialTokens(nullptr, given, end, 300); });
  };
  CHECK(refusal({{"a", 300}, {"b", 302}}).empty());
  CHECK(contains(refusal({{"a", 299}}), "a has the id 299, which is one of the 300"));
  CHECK(contains(refusal({{"a", 300}, {"b", 300}}), "a and b have the same id, 300"));
  CHECK(contains(refusal({{"a", 300}}, "b"), "b is none of special_tokens"));
}
