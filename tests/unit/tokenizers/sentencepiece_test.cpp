// The plugin sentencepiece as users get it. Where no other source is named, ids are those of
// sentencepiece 0.2.3.

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <limits>
#include <mortise/data/tokenizer.hpp>

#include "sentencepiece_model.hpp"
#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

using namespace mortise::tests;
using mortise::Tokenizer;
using Ids = std::vector<std::uint32_t>;

namespace {

LoadedComponent loaded(const std::string& file) {
  return LoadedComponent("sentencepiece", "sentencepiece", {{"file", file}});
}
std::string committed(const std::string& name) {
  return MORTISE_SOURCE_DIR "/tests/tokenizers/models/" + name + ".model";
}

}  // namespace

TEST_CASE("sentencepiece: unknown characters become bytes where the model has them (T-07)") {
  const ScratchFolder folder;
  const LoadedComponent with = loaded(folder.write("with.model", small_model(true)));
  const LoadedComponent without = loaded(folder.write("without.model", small_model(false)));
  struct Row {
    const char* text;
    Ids with, without;
  };
  for (const Row& row :
       {Row{"h\ni", {264, 13, 263}, {264, 0, 263}}, Row{"\u00e9", {259, 198, 172}, {259, 0}},
        Row{"\U0001f999", {259, 243, 162, 169, 156}, {259, 0}}}) {
    CAPTURE(row.text);
    CHECK(with.as<Tokenizer>().encode(row.text) == row.with);
    CHECK(with.as<Tokenizer>().decode(row.with) == row.text);
    CHECK(without.as<Tokenizer>().encode(row.text) == row.without);
  }
}

TEST_CASE("sentencepiece: flags of the model decide about folding and blanks (T-06)") {
  const LoadedComponent folding = loaded(committed("botchan_en_unigram_1000"));
  CHECK(folding.as<Tokenizer>().encode("\uff28i") == folding.as<Tokenizer>().encode("Hi"));
  CHECK(folding.as<Tokenizer>().encode("  a   b ") == folding.as<Tokenizer>().encode("a b"));
  const ScratchFolder folder;
  const LoadedComponent plain = loaded(folder.write("plain.model", small_model(true)));
  CHECK(plain.as<Tokenizer>().encode("\uff41") != plain.as<Tokenizer>().encode("a"));
  CHECK(plain.as<Tokenizer>().encode("a   b ") == Ids{268, 266, 259, 261, 259});
  CHECK(plain.as<Tokenizer>().decode(Ids{268, 266, 259, 261, 259}) == "a   b ");
}

TEST_CASE("sentencepiece: special tokens are those of the model, and no text makes them") {
  const LoadedComponent component = loaded(committed("botchan_en_bpe_1000"));
  const auto tokenizer = component.as<Tokenizer>();
  CHECK(tokenizer.vocabulary_size() == 1000);
  const auto special = tokenizer.special_tokens();
  REQUIRE(special.size() == 2);
  CHECK(special[0].name == "end_of_document");
  CHECK(special[0].id == 2);
  CHECK(special[1].name == "begin_of_document");
  CHECK(special[1].id == 1);
  for (const std::uint32_t id : tokenizer.encode("a</s>b<s>")) CHECK((id != 1 && id != 2));
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.decode(Ids{1, 2}).empty());
  CHECK(contains(message_of<mortise::Error>([&] { tokenizer.decode(Ids{3, 1000}); }), "1000"));
}

TEST_CASE("sentencepiece: each byte that is no UTF-8 counts as U+FFFD") {
  const ScratchFolder folder;
  const LoadedComponent component = loaded(folder.write("small.model", small_model(true)));
  const auto tokenizer = component.as<Tokenizer>();
  CHECK(tokenizer.encode("a\xFF\xC3") == tokenizer.encode("a\uFFFD\uFFFD"));
  CHECK(tokenizer.encode(std::string_view("a\0b", 3)) == Ids{268, 3, 261});
}

TEST_CASE("sentencepiece: the fingerprint is that of the file") {
  const ScratchFolder folder;
  const auto print = [&](const std::string& file) {
    return loaded(file).as<Tokenizer>().fingerprint();
  };
  const std::string bpe = print(committed("botchan_en_bpe_1000"));
  CHECK(bpe == print(committed("botchan_en_bpe_1000")));
  CHECK(bpe != print(committed("botchan_en_unigram_1000")));
  CHECK(bpe.starts_with("sentencepiece/1/"));
}

TEST_CASE("sentencepiece: what is no model is refused with the file and the reason") {
  const ScratchFolder folder;
  const std::string good = small_model(true);
  const auto refusal = [&](const std::string& bytes) {
    return message_of<mortise::Error>([&] { loaded(folder.write("x.model", bytes)); });
  };
  REQUIRE(refusal(good).empty());
  struct Row {
    std::string bytes;
    const char* reason;
  };
  const float no_number = std::numeric_limits<float>::quiet_NaN();
  std::string charsmap(4 + 1024, '\0');
  charsmap[1] = 4;  // a double array of 1024 bytes
  std::string astray = charsmap + std::string(2, '\0');
  astray[4 + 2] = '\x40';
  for (const Row& row :
       {Row{"", "no pieces"}, Row{"hello, world", "a field of number 13"},
        Row{good.substr(0, good.size() - 1), "cut off"},
        Row{good.substr(0, 3) + "\xff\xff\xff\xff\x0f" + good.substr(3), "cut off"},
        Row{std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12), "10 bytes"},
        Row{good + model_piece("x", no_number), "score of piece 269"},
        Row{good + model_piece("", 1), "piece 269 has no text"},
        Row{good + model_piece(std::string("\0u", 2), 1), "piece 269 has a zero byte"},
        Row{good + model_piece("a", 1), "already defined"},
        Row{good + proto_bytes(1, "\x0a\x7f"), "a piece is cut off"},
        Row{small_model(true, "abc"), "at least 4 bytes"},
        Row{small_model(true, charsmap), "zero byte at its end"},
        Row{small_model(true, astray), "leads out of the double array"}}) {
    CAPTURE(row.reason);
    const std::string message = refusal(row.bytes);
    CHECK(contains(message, folder.path("x.model")));
    CHECK(contains(message, row.reason));
  }
  CHECK(contains(message_of<mortise::Error>([&] { loaded(folder.path("none.model")); }),
                 "No such file"));
  CHECK(contains(message_of<mortise::Error>([&] { loaded(folder.path()); }), "is a folder"));
}

TEST_CASE("sentencepiece: nothing of the library shows outside of the plugin") {
  const LoadedComponent component = loaded(committed("botchan_en_bpe_1000"));
  CHECK(::dlsym(RTLD_DEFAULT, "_ZN13sentencepiece22SentencePieceProcessorC1Ev") == nullptr);
  CHECK(::dlsym(RTLD_DEFAULT, "_ZN6google8protobuf11MessageLiteD1Ev") == nullptr);
}

TEST_CASE("sentencepiece: a word of a megabyte is cut like any other, in linear time") {
  std::string word;
  while (word.size() < 1 << 20)
    word += "abandonedquickfoxjumps" + std::string(1, char(97 + word.size() % 7));
  for (const char* model : {"botchan_en_bpe_1000", "botchan_en_unigram_1000"}) {
    CAPTURE(model);
    const LoadedComponent component = loaded(committed(model));
    const Ids ids = component.as<Tokenizer>().encode(word);
    CHECK(ids.size() > word.size() / 8);
    CHECK(component.as<Tokenizer>().decode(ids) == word);
  }
}
