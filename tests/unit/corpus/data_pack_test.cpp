// The command `data pack` as users get it.

#include <doctest/doctest.h>

#include "plugins/data/pbin/side_file.hpp"
#include "tests/unit/corpus/packing.hpp"

namespace {

using namespace mortise::tests;
using mortise::Tokenizer;
using mortise::token_files::TokenFile;

// A tokenizer of a given vocabulary: each byte b is the id vocabulary - 1 - b.
class FakeTokenizer final : public Tokenizer {
 public:
  explicit FakeTokenizer(std::int64_t vocabulary, bool adds_end = false,
                         std::vector<mortise::SpecialToken> more = {})
      : vocabulary_(vocabulary), adds_end_(adds_end), special_(std::move(more)) {
    if (adds_end) special_.push_back({"end_of_document", 0});
  }
  std::vector<std::uint32_t> encode(std::string_view text) const override {
    std::vector<std::uint32_t> ids;
    for (const char c : text)
      ids.push_back(std::uint32_t(vocabulary_ - 1 - static_cast<unsigned char>(c)));
    if (adds_end_) ids.push_back(0);
    return ids;
  }
  std::string decode(std::span<const std::uint32_t>) const override { return {}; }
  std::int64_t vocabulary_size() const override { return vocabulary_; }
  std::vector<mortise::SpecialToken> special_tokens() const override { return special_; }
  std::string fingerprint() const override { return "fake/1"; }

 private:
  std::int64_t vocabulary_;
  bool adds_end_;
  std::vector<mortise::SpecialToken> special_;
};

}  // namespace

TEST_CASE("data pack: documents of all files, each with its end, and a side file") {
  const Packing f;
  f.in.write("a.txt", "aa");
  f.in.write("b.jsonl", "{\"text\":\"b\"}\n\n{\"text\":\"\"}\n{\"text\":\"cccc\"}\n");
  const std::string printed = f.pack({"a.txt", "*.jsonl"});
  CHECK(printed ==
        "4 documents, 11 tokens, 22 bytes in " + f.out.path("o.pbin") + "; 1 blank line skipped\n");
  CHECK(documents(f.out.path("o.pbin")) ==
        std::vector<Tokens>{{'a', 'a', 256}, {'b', 256}, {256}, {'c', 'c', 'c', 'c', 256}});
  CHECK(f.out.names() == Names{"o.pbin", "o.pbin.json"});
  const auto side = mortise::pbin::read_side_file(f.out.path("o.pbin"));
  REQUIRE(side.has_value());
  CHECK(side->tokenizer_fingerprint == "byte/1");
  CHECK(side->vocabulary_size == 257);
  CHECK(side->end_of_document == 256);
  CHECK(side->documents == 4);
  REQUIRE(side->sources.size() == 2);
  CHECK(side->sources[1].file == f.in.path("b.jsonl"));
  CHECK(side->sources[1].documents == 3);
  CHECK(side->sources[1].tokens == 8);
}

TEST_CASE("data pack: options choose the key, the end and what is held out") {
  const Packing f;
  f.in.write("a.jsonl", "{\"body\":\"aaaaaaaa\"}\n{\"body\":\"b\"}\n{\"body\":\"c\"}\n");
  const SettingList body = {{"field", ".body"}, {"eod", "none"}};
  f.pack({"a.jsonl"}, body);
  const Tokens a(8, 'a');
  CHECK(documents(f.out.path("o.pbin")) == std::vector<Tokens>{a, {'b'}, {'c'}});
  CHECK(contains(f.refusal({"a.jsonl"}, body), "is there already"));
  SettingList held = body;
  held.emplace_back("hold_out", mortise::percent(15));
  held.emplace_back("overwrite", true);
  f.pack({"a.jsonl"}, held);
  CHECK(documents(f.out.path("o.pbin")) == std::vector<Tokens>{a});
  CHECK(documents(f.out.path("o.held_out.pbin")) == std::vector<Tokens>{{'b'}, {'c'}});
  CHECK(f.out.names() == Names{"o.held_out.pbin", "o.held_out.pbin.json", "o.pbin", "o.pbin.json"});
  CHECK(mortise::pbin::read_side_file(f.out.path("o.held_out.pbin"))->largest_token == 'c');
}

TEST_CASE("data pack: one document gives its tail") {
  const Packing f;
  f.in.write("a.txt", "0123456789abcdefghi");  // and its end: 20 tokens
  f.pack({"a.txt"}, {{"hold_out", mortise::percent(10)}});
  CHECK(documents(f.out.path("o.held_out.pbin")) == std::vector<Tokens>{{'i', 256}});
  CHECK(documents(f.out.path("o.pbin"))[0].size() == 18);
}

TEST_CASE("data pack: the width fits the vocabulary, the largest id comes back (D-05)") {
  struct Row {
    std::int64_t vocabulary;
    std::uint32_t width;
  };
  for (const Row& row : {Row{255, 1}, Row{256, 1}, Row{257, 2}, Row{65535, 2}, Row{65536, 2},
                         Row{65537, 4}, Row{std::int64_t(1) << 31, 4}}) {
    CAPTURE(row.vocabulary);
    const Packing f;
    f.in.write("a.txt", std::string("\0x", 2));
    FakeTokenizer tokenizer(row.vocabulary);
    f.pack({"a.txt"}, {}, mortise::kit::object_of<Tokenizer>(tokenizer));
    CHECK(TokenFile(f.out.path("o.pbin")).bytes_per_token() == row.width);
    CHECK(documents(f.out.path("o.pbin"))[0] ==
          Tokens{row.vocabulary - 1, row.vocabulary - 1 - 'x'});
  }
}

TEST_CASE("data pack: an end that the tokenizer has put there is not put twice") {
  const Packing f;
  f.in.write("a.txt", "x");
  FakeTokenizer tokenizer(300, true);
  f.pack({"a.txt"}, {}, mortise::kit::object_of<Tokenizer>(tokenizer));
  CHECK(documents(f.out.path("o.pbin")) == std::vector<Tokens>{{299 - 'x', 0}});
}

TEST_CASE("data pack: one begin of each document for who asks for it, whatever its end (T-09)") {
  const Packing f;
  f.in.write("a.jsonl", "{\"text\":\"x\"}\n{\"text\":\"\"}\n");
  const std::uint32_t id = 299 - 'x';
  FakeTokenizer both(300, false, {{"begin_of_document", 7}, {"end_of_document", 8}});
  FakeTokenizer begins_itself(300, false, {{"begin_of_document", id}});
  const auto packed = [&](FakeTokenizer& tokenizer, bool begin, const char* end) {
    f.pack({"a.jsonl"}, {{"bod", begin}, {"eod", end}, {"overwrite", true}, {"on_error", "skip"}},
           mortise::kit::object_of<Tokenizer>(tokenizer));
    return documents(f.out.path("o.pbin"));
  };
  CHECK(packed(both, false, "none") == std::vector<Tokens>{{id}});
  CHECK(packed(both, true, "none") == std::vector<Tokens>{{7, id}, {7}});
  CHECK(packed(both, false, "auto") == std::vector<Tokens>{{id, 8}, {8}});
  CHECK(packed(both, true, "auto") == std::vector<Tokens>{{7, id, 8}, {7, 8}});
  CHECK(packed(begins_itself, true, "auto") == std::vector<Tokens>{{id}, {id}});
  CHECK(contains(f.refusal({"a.jsonl"}, {{"bod", true}, {"overwrite", true}}),
                 "bod: the tokenizer has no begin_of_document"));
}

TEST_CASE("data pack: line ends of other systems give identical files (D-04)") {
  const Packing f;
  std::string first;
  for (const char* end : {"\n", "\r\n", "\n\n\n"}) {
    f.in.write("a.jsonl", "{\"text\":\"a\"}" + std::string(end) + "{\"text\":\"b\"}" + end);
    f.pack({"a.jsonl"}, {{"overwrite", true}});
    if (first.empty()) first = f.out.read("o.pbin");
    CHECK(f.out.read("o.pbin") == first);
  }
}

TEST_CASE("data pack: many documents keep their order over batches") {
  const Packing f;
  std::string text;
  for (int i = 0; i != 40000; ++i) text += "{\"text\":\"" + std::to_string(i) + "\"}\n";
  f.in.write("a.jsonl", text + "{\"text\":\"" + std::string(3 << 20, 'x') + "\"}\n");
  f.pack({"a.jsonl"});
  const auto all = documents(f.out.path("o.pbin"));
  REQUIRE(all.size() == 40001);
  CHECK(all[39999] == Tokens{'3', '9', '9', '9', '9', 256});
  CHECK(all[40000].size() == (3 << 20) + 1);
}

TEST_CASE("data pack: what goes wrong says so, and leaves nothing behind") {
  const Packing f;
  f.in.write("bad.jsonl", "{\"text\":\"ok\"}\n{\"text\":null}\n");
  f.in.write("empty.txt", "");
  CHECK(contains(f.refusal({"bad.jsonl"}), "bad.jsonl:2: key \"text\" is null"));
  CHECK(contains(f.refusal({"bad.jsonl"}, {{"hold_out", mortise::percent(5)}}), "bad.jsonl:2"));
  CHECK(contains(f.refusal({"empty.txt"}), "no documents"));
  CHECK(contains(f.refusal({"none.txt"}), "No such file"));
  f.in.write("a.txt", "abc");
  CHECK(contains(f.refusal({"a.txt"}, {{"out", f.out.path("o.bin")}}), "ends in .pbin"));
  CHECK(contains(f.refusal({"a.txt"}, {{"out", "/no/such/folder/o.pbin"}}), "cannot be written"));
  CHECK(f.out.names().empty());
}
