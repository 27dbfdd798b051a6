// The byte tokenizer as users get it.

#include <doctest/doctest.h>

#include <mortise/data/tokenizer.hpp>

#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

using namespace mortise::tests;
using mortise::Tokenizer;
using Ids = std::vector<std::uint32_t>;

TEST_CASE("byte: any bytes come back unchanged, special tokens have no text") {
  const LoadedComponent component("byte_tokenizer", "byte");
  const auto tokenizer = component.as<Tokenizer>();
  std::string all;
  for (int i = 0; i != 256; ++i) all.push_back(static_cast<char>(i));
  const Ids ids = tokenizer.encode(all);
  REQUIRE(ids.size() == 256);
  for (std::uint32_t i = 0; i != 256; ++i) CHECK(ids[i] == i);
  CHECK(tokenizer.decode(ids) == all);
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.decode(Ids{256, 104, 256, 105, 256}) == "hi");
  CHECK(contains(message_of<mortise::Error>([&] { tokenizer.decode(Ids{104, 257}); }), "257"));
}

TEST_CASE("byte: vocabulary, end of document and fingerprint are fixed") {
  const LoadedComponent component("byte_tokenizer", "byte");
  const auto tokenizer = component.as<Tokenizer>();
  CHECK(tokenizer.vocabulary_size() == 257);
  CHECK(tokenizer.fingerprint() == "byte/1");
  const auto special = tokenizer.special_tokens();
  REQUIRE(special.size() == 1);
  CHECK(special[0].name == "end_of_document");
  CHECK(special[0].id == 256);
  const mortise::EncodedBatch batch = tokenizer.encode_batch({"ab", "", "c"});
  CHECK(batch.ids == Ids{97, 98, 99});
  CHECK(batch.ends == std::vector<std::int64_t>{2, 2, 3});
}
