// `use: text` reads what `data pack` reads: compressed files, folders, patterns, paths of fields.

#include <mortise/data/dataset.hpp>

#include "tests/unit/corpus/compressed.hpp"
#include "tests/unit/corpus/packing.hpp"

namespace {

using namespace mortise::tests;

struct Fixture {
  ScratchFolder in, cache;
  LoadedComponent bytes{"byte_tokenizer", "byte"};

  SettingList settings(const std::string& files, const std::string& field = "text") const {
    return {{"files", Names{in.path(files)}},
            {"field", field},
            {"tokenizer", bytes.object<mortise::Tokenizer>()},
            {"sequence_length", 1},
            {"cache", cache.path()}};
  }
  // All tokens, of samples of one input and one target.
  Tokens tokens(const SettingList& settings) const {
    const LoadedComponent text("text", "text", settings);
    const auto data = text.as<mortise::Dataset>();
    Tokens all;
    for (std::int64_t i = 0; i != data.size(); ++i) {
      const mortise::Array pair = data.read(Tokens{i})[0].arrays[0];
      if (i == 0) all.push_back(pair.as<std::int64_t>()[0]);
      all.push_back(pair.as<std::int64_t>()[1]);
    }
    return all;
  }
};

}  // namespace

TEST_CASE(
    "text: a folder of compressed and plain files gives the documents in the order of paths") {
  const Fixture f;
  std::filesystem::create_directories(f.in.path("d/sub"));
  f.in.write("d/a.jsonl.gz", gzip("{\"text\":\"a\"}\n{\"text\":\"b\"}\n"));
  f.in.write("d/b.txt.zst", zstd("c"));
  f.in.write("d/sub/c.jsonl", "{\"text\":\"d\"}");
  CHECK(f.tokens(f.settings("d")) == Tokens{'a', 256, 'b', 256, 'c', 256, 'd', 256});
  CHECK(f.tokens(f.settings("d/*.gz")) == Tokens{'a', 256, 'b', 256});
}

TEST_CASE("text: a field is a path or an expression, and another one is packed anew") {
  const Fixture f;
  f.in.write("a.jsonl", "{\"title\":\"t\",\"meta\":{\"body\":\"b\"}}\n");
  CHECK(f.tokens(f.settings("a.jsonl", ".meta.body")) == Tokens{'b', 256});
  CHECK(f.tokens(f.settings("a.jsonl", ".title + \"-\" + .meta.body")) ==
        Tokens{'t', '-', 'b', 256});
  CHECK(f.cache.names().size() == 4);  // two packed files, each with its side file
}

TEST_CASE(
    "text: a file that is no UTF-8 is refused with its line, and nothing stays in the cache") {
  const Fixture f;
  f.in.write("a.txt",
             "good\nb\xff"
             "d\n");
  const std::string message = message_of<mortise::Error>([&] { f.tokens(f.settings("a.txt")); });
  CHECK(contains(message, "a.txt:2: not valid UTF-8"));
  CHECK(f.cache.names().empty());
}
