// Text files as a data set, as users get it.

#include <doctest/doctest.h>

#include <algorithm>
#include <mortise/data/dataset.hpp>
#include <mortise/data/tokenizer.hpp>

#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using mortise::Dataset;
using Tokens = std::vector<std::int64_t>;

// A text data set over a folder, with its cache beside it.
struct Fixture {
  ScratchFolder folder, cache;
  LoadedComponent bytes{"byte_tokenizer", "byte"};

  SettingList settings(std::vector<std::string> files, int length = 4) const {
    for (std::string& file : files) file = folder.path(file);
    return {{"files", files},
            {"tokenizer", bytes.object<mortise::Tokenizer>()},
            {"sequence_length", length},
            {"cache", cache.path()}};
  }
  std::string refusal(const SettingList& settings) const {
    return message_of<mortise::Error>([&] { LoadedComponent("text", "text", settings); });
  }
};

Tokens stream(const Dataset& data) {  // all tokens of samples of length 1
  Tokens all;
  for (std::int64_t i = 0; i != data.size(); ++i) {
    const mortise::Array tokens = data.read(Tokens{i})[0].arrays[0];
    if (i == 0) all.push_back(tokens.as<std::int64_t>()[0]);
    all.push_back(tokens.as<std::int64_t>()[1]);
  }
  return all;
}

SettingList with(SettingList settings, std::string name, SettingValue value) {
  settings.emplace_back(std::move(name), std::move(value));
  return settings;
}

}  // namespace

TEST_CASE("text: a plain file is one document and its end") {
  const Fixture f;
  f.folder.write("a.txt", "hey\n");
  const LoadedComponent text("text", "text", f.settings({"a.txt"}, 1));
  const auto data = text.as<Dataset>();
  CHECK(stream(data) == Tokens{'h', 'e', 'y', '\n', 256});
  CHECK(data.where(3) == f.folder.path("a.txt") + ", tokens 3..4");
  const mortise::DatasetInfo info = data.info();
  CHECK(info.source == f.folder.path("a.txt"));
  CHECK(info.tokens == 5);
  CHECK(info.documents == 1);
  CHECK(info.tokenizer_fingerprint == "byte/1");
  CHECK(info.vocabulary_size == 257);
  CHECK(info.largest_token == 256);
}

TEST_CASE("text: files of both kinds follow each other, a place names its own file") {
  const Fixture f;
  f.folder.write("a.txt", "ab");
  f.folder.write("b.jsonl", "{\"text\":\"cd\"}\n\n{\"text\":\"\"}\n{\"text\":\"e\"}\n");
  f.folder.write("empty.txt", "");
  const LoadedComponent text("text", "text", f.settings({"a.txt", "empty.txt", "b.jsonl"}, 1));
  const auto data = text.as<Dataset>();
  CHECK(stream(data) == Tokens{'a', 'b', 256, 'c', 'd', 256, 256, 'e', 256});
  CHECK(data.info().documents == 4);
  CHECK(data.where(2) == f.folder.path("a.txt") + ", tokens 2..3");
  CHECK(data.where(3) == f.folder.path("b.jsonl") + ", tokens 0..1");
}

TEST_CASE("text: the tail of one document is held out, else whole documents") {
  const Fixture f;
  f.folder.write("a.txt", std::string(95, 'a') + "bbbb");  // and its end: 100 tokens
  f.folder.write("b.jsonl", "{\"text\":\"" + std::string(94, 'a') + "\"}\n{\"text\":\"bbbb\"}\n");
  for (const char* file : {"a.txt", "b.jsonl"}) {
    CAPTURE(file);
    const SettingList settings = with(f.settings({file}, 1), "hold_out", mortise::percent(5));
    const LoadedComponent train("text", "text", with(settings, "part", "train"));
    const LoadedComponent held("text", "text", with(settings, "part", "held_out"));
    CHECK(stream(held.as<Dataset>()) == Tokens{'b', 'b', 'b', 'b', 256});
    const Tokens rest = stream(train.as<Dataset>());
    CHECK(rest.size() == 95);
    CHECK(std::find(rest.begin(), rest.end(), 'b') == rest.end());
  }
}

TEST_CASE("text: equal contents share a packed copy, other contents, fields and kinds do not") {
  const Fixture f;
  const std::string record = "{\"text\":\"aaaaaaaa\",\"body\":\"bbbbbbbb\"}\n";
  f.folder.write("a.jsonl", record);
  const auto open = [&](const SettingList& settings) {
    return LoadedComponent("text", "text", settings).as<Dataset>().size();
  };
  open(f.settings({"a.jsonl"}));
  CHECK(f.cache.names().size() == 2);
  f.folder.write("copy.jsonl", record);
  open(f.settings({"copy.jsonl"}, 2));
  CHECK(f.cache.names().size() == 2);
  const LoadedComponent renamed("text", "text", f.settings({"copy.jsonl"}));
  CHECK(contains(renamed.as<Dataset>().where(0), "copy.jsonl"));
  open(with(f.settings({"a.jsonl"}), "field", "body"));
  CHECK(f.cache.names().size() == 4);
  f.folder.write("a.txt", record);
  open(f.settings({"a.txt"}));
  CHECK(f.cache.names().size() == 6);
  f.folder.write("a.jsonl", record + record);
  open(f.settings({"a.jsonl"}));
  CHECK(f.cache.names().size() == 8);
}

TEST_CASE("text: what cannot be packed leaves nothing in the cache (D-01, D-04)") {
  const Fixture f;
  f.folder.write("bad.jsonl", "{\"text\":\"ok\"}\n\n{\"text\":1}\n");
  f.folder.write("empty.jsonl", "");
  f.folder.write("lines.jsonl", "\n\n\n");
  f.folder.write("empty.txt", "");
  CHECK(contains(f.refusal(f.settings({"bad.jsonl"})), "bad.jsonl:3: key \"text\" is a number"));
  for (const char* file : {"empty.jsonl", "lines.jsonl", "empty.txt"}) {
    CAPTURE(file);
    CHECK(contains(f.refusal(f.settings({file})),
                   std::string("no documents in ") + f.folder.path(file)));
  }
  CHECK(f.cache.names().empty());
}

TEST_CASE("text: too little text and a cache that cannot be written say what to do") {
  const Fixture f;
  f.folder.write("a.txt", "abc");
  CHECK(contains(f.refusal(f.settings({"a.txt"})),
                 "4 tokens are less than one sequence, which needs 5"));
  SettingList settings = f.settings({"a.txt"}, 1);
  settings.back().second = f.folder.path("a.txt") + "/cache";  // a folder inside a file
  const std::string message = f.refusal(settings);
  CAPTURE(message);
  CHECK(contains(message, "cannot be made"));
  CHECK(contains(message, "`cache:`"));
}
