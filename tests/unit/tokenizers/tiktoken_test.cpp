// The plugin tiktoken as users get it.

#include <doctest/doctest.h>

#include <mortise/data/tokenizer.hpp>

#include "small_ranks.hpp"
#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

using namespace mortise::tests;
using mortise::Tokenizer;
using Ids = std::vector<std::uint32_t>;

namespace {

// "abc" can be made of "ab" and "c" or of "a" and "bc", whichever comes first.
struct Fixture {
  ScratchFolder folder;
  std::string file = folder.write("a.tiktoken", small_ranks({"bc", "ab", "abc", " a", "xyz"}));

  LoadedComponent loaded(SettingList more = {{"pattern", "gpt2"}}) const {
    SettingList settings{{"file", file}};
    for (auto& setting : more) settings.push_back(std::move(setting));
    return LoadedComponent("tiktoken", "tiktoken", std::move(settings));
  }
  std::string refusal(SettingList more) const {
    return message_of<mortise::Error>([&] { loaded(std::move(more)); });
  }
};

}  // namespace

// tiktoken.Encoding("t", pat_str=…, mergeable_ranks=…, special_tokens={}).encode_ordinary(text)
TEST_CASE("tiktoken: the pair of lowest rank first, and a word that is a token at once") {
  const Fixture f;
  const LoadedComponent component = f.loaded();
  const auto tokenizer = component.as<Tokenizer>();
  CHECK(tokenizer.encode("abc") == Ids{258});
  CHECK(tokenizer.encode("abcabc") == Ids{258, 258});
  CHECK(tokenizer.encode("bcd ab") == Ids{256, 'd', ' ', 257});
  CHECK(tokenizer.encode("xyz") == Ids{260});  // no two tokens make it
  CHECK(tokenizer.encode("xyzxyz") == Ids{'x', 'y', 'z', 'x', 'y', 'z'});
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.decode(Ids{258, 'd', 256}) == "abcdbc");
}

TEST_CASE("tiktoken: a regular expression cuts, and what it leaves out is kept") {
  const Fixture f;
  const LoadedComponent component = f.loaded({{"pattern", "[a-z]+"}});
  const auto tokenizer = component.as<Tokenizer>();
  CHECK(tokenizer.encode("abc-abc") == Ids{258, '-', 258});
  CHECK(tokenizer.vocabulary_size() == 261);
  CHECK(tokenizer.special_tokens().empty());
  CHECK(contains(f.refusal({{"pattern", "(a"}}), "expected one of gpt2, cl100k_base"));
}

TEST_CASE("tiktoken: bytes that are not UTF-8 become U+FFFD, once for each broken sequence") {
  const Fixture f;
  const LoadedComponent component = f.loaded();
  const auto tokenizer = component.as<Tokenizer>();
  CHECK(tokenizer.encode("a\xFF") == tokenizer.encode("a\uFFFD"));
  CHECK(tokenizer.encode("\xC3(") == tokenizer.encode("\uFFFD("));
  CHECK(tokenizer.encode(std::string_view("\0", 1)) == Ids{0});
}

TEST_CASE("tiktoken: special tokens have ids behind the ranks, and no text makes them") {
  const Fixture f;
  const LoadedComponent component = f.loaded();  // gpt2 has <|endoftext|> 50256
  const auto tokenizer = component.as<Tokenizer>();
  CHECK(tokenizer.vocabulary_size() == 50257);
  const auto special = tokenizer.special_tokens();
  REQUIRE(special.size() == 1);
  CHECK(special[0].name == "end_of_document");
  CHECK(special[0].id == 50256);
  CHECK(tokenizer.decode(Ids{'a', 50256, 1000, 'b'}) == "ab");
  CHECK(contains(message_of<mortise::Error>([&] { tokenizer.decode(Ids{50257}); }), "50257"));
  for (const std::uint32_t id : tokenizer.encode("a<|endoftext|>b")) CHECK(id < 261);
  CHECK(contains(f.refusal({{"pattern", "gpt2"}, {"end_of_document", "<|end|>"}}),
                 "<|end|> is none of special_tokens"));
}

TEST_CASE("tiktoken: the fingerprint tells apart files and patterns") {
  const Fixture f;
  const auto print = [](const LoadedComponent& component) {
    return component.as<Tokenizer>().fingerprint();
  };
  const std::string gpt2 = print(f.loaded());
  CHECK(gpt2.starts_with("tiktoken/1/"));
  CHECK(print(f.loaded()) == gpt2);
  CHECK(print(f.loaded({{"pattern", "[a-z]+"}})) != gpt2);
  const std::string other = f.folder.write("b.tiktoken", small_ranks({"bc"}));
  CHECK(print(LoadedComponent("tiktoken", "tiktoken", {{"file", other}, {"pattern", "gpt2"}})) !=
        gpt2);
}

TEST_CASE("tiktoken: a broken file is refused with its name and the line") {
  const Fixture f;
  const std::string file = f.folder.write("bad.tiktoken", small_ranks() + "YQ== 256\n");
  const std::string message = message_of<mortise::Error>([&] {
    LoadedComponent("tiktoken", "tiktoken", {{"file", file}, {"pattern", "gpt2"}});
  });
  CHECK(contains(message, file + " is no rank file: line 257: the token is that of line 98"));
}
