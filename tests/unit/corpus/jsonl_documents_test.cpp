// Documents of text files: what ends a record, what is refused and where.

#include <doctest/doctest.h>

#include <mortise/error.hpp>

#include "plugins/data/corpus/batch_documents.hpp"
#include "plugins/data/corpus/batch_reader.hpp"
#include "plugins/data/corpus/input_files.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using Texts = std::vector<std::string>;

struct Read {
  Texts texts;
  std::int64_t blank_lines = 0;
};

Read read(const ScratchFolder& folder, std::string_view bytes, std::string_view name = "a.jsonl",
          std::string_view field = "text") {
  const std::string path = folder.write(name, bytes);
  mortise::corpus::BatchReader reader({path}, mortise::corpus::TextFormat::by_name);
  mortise::corpus::BatchDocuments documents(mortise::corpus::field_expression(field),
                                            mortise::corpus::OnError::fail);
  Read result;
  while (const auto batch = reader.next())
    result.blank_lines +=
        documents
            .for_each(*batch, path,
                      [&](std::string_view text, std::int64_t) { result.texts.emplace_back(text); })
            .blank_lines;
  return result;
}

std::string refusal(std::string_view bytes, std::string_view name = "a.jsonl") {
  const ScratchFolder folder;
  return message_of<mortise::DataError>([&] { read(folder, bytes, name); });
}

}  // namespace

TEST_CASE(
    "jsonl: blank lines are skipped and counted, a broken line is named by its physical number "
    "(D-01)") {
  const ScratchFolder folder;
  const Read blank = read(folder, "{\"text\":\"a\"}\n\n   \n\t\r\n{\"text\":\"b\"}\n");
  CHECK(blank.texts == Texts{"a", "b"});
  CHECK(blank.blank_lines == 3);
  const std::string message =
      refusal("{\"text\":\"a\"}\n\n   \n{\"text\": \"secret\"\n{\"text\":\"b\"}\n");
  CHECK(contains(message, "a.jsonl:4: not valid JSON"));
  CHECK_FALSE(contains(message, "secret"));
}

TEST_CASE(
    "jsonl: a missing, null or other text names the line, the key and the keys there are (D-02)") {
  struct Row {
    const char *line, *message;
  };
  for (const Row& row :
       {Row{"{\"txt\":\"a\"}", "no key \"text\"; its keys are \"txt\""},
        Row{"{}", "no key \"text\"; it has no keys"},
        Row{"{\"text\":null,\"id\":1}",
            "key \"text\" is null, expected text; its keys are \"text\", \"id\""},
        Row{"{\"text\":7}", "is a number"}, Row{"{\"text\":[\"a\"]}", "is a list"},
        Row{"{\"text\":{}}", "is an object"}, Row{"{\"text\":true}", "is a boolean"},
        Row{"\"a\"", "expected an object, got text"}, Row{"[1]", "expected an object, got a list"},
        Row{"{\"text\":\"a\",\"text\":\"b\"}", "stands there twice"},
        Row{"{\"text\":\"a\"} {\"text\":\"b\"}", "not valid JSON"},
        Row{"{\"text\":\"\\ud800\"}", "not valid JSON"},
        Row{"{\"text\":\"a\xff\"}", "not valid JSON"}}) {
    CAPTURE(row.line);
    const std::string message = refusal("{\"text\":\"ok\"}\n" + std::string(row.line) + "\n");
    CAPTURE(message);
    CHECK(contains(message, "a.jsonl:2: "));
    CHECK(contains(message, row.message));
  }
  const ScratchFolder folder;
  CHECK(read(folder, "{\"text\":\"\"}").texts == Texts{""});
  CHECK(read(folder, "{\"body\":\"x\",\"text\":3}", "a.jsonl", "body").texts == Texts{"x"});
}

TEST_CASE("jsonl: long keys and many keys do not flood the message") {
  std::string line = "{\"" + std::string(5000, 'k') + "\":1";
  for (int i = 0; i != 500; ++i) line += ",\"k" + std::to_string(i) + "\":1";
  CHECK(refusal(line + "}").size() < 400);
}

TEST_CASE("jsonl: only 0x0A ends a record (D-03)") {
  const ScratchFolder folder;
  struct Row {
    const char *what, *raw, *text;
  };
  for (const Row& row :
       {Row{"U+2028", "a\xE2\x80\xA8z", "a\xE2\x80\xA8z"},
        Row{"U+2029", "a\xE2\x80\xA9z", "a\xE2\x80\xA9z"},
        Row{"U+0085", "a\xC2\x85z", "a\xC2\x85z"}, Row{"vertical tab", "a\\u000bz", "a\x0Bz"},
        Row{"form feed", "a\\fz", "a\fz"}, Row{"escaped CR", "a\\rz", "a\rz"},
        Row{"escaped LF", "a\\nz", "a\nz"}}) {
    CAPTURE(row.what);
    CHECK(read(folder, "{\"text\":\"" + std::string(row.raw) + "\"}\n").texts == Texts{row.text});
  }
}

TEST_CASE("jsonl: line ends of other systems and the end of the file make no difference (D-04)") {
  const ScratchFolder folder;
  const Texts expected = {"a", "b", "c"};
  const std::string a = "{\"text\":\"a\"}", b = "{\"text\":\"b\"}", c = "{\"text\":\"c\"}";
  CHECK(read(folder, a + "\n" + b + "\n" + c + "\n").texts == expected);
  CHECK(read(folder, a + "\r\n" + b + "\r\n" + c + "\r\n").texts == expected);
  CHECK(read(folder, a + "\n" + b + "\n" + c).texts == expected);
  CHECK(read(folder, a + "\n" + b + "\n" + c + std::string(10, '\n')).texts == expected);
  CHECK(read(folder, "\xEF\xBB\xBF" + a + "\n" + b + "\n" + c).texts == expected);
  CHECK(read(folder, "").texts.empty());
  CHECK(read(folder, "\n\n\n").texts.empty());
}

TEST_CASE("plain text: a file is one document with all its bytes, an empty file is none") {
  const ScratchFolder folder;
  const std::string bytes("\xEF\xBB\xBF{\r\n\0\n", 7);
  CHECK(read(folder, bytes, "a.txt").texts == Texts{bytes});
  CHECK(read(folder, "", "a.txt").texts.empty());
  CHECK(contains(refusal("a\nb\nc\xff\nd\xff", "a.txt"), "a.txt:3: not valid UTF-8"));
  CHECK(contains(refusal("x", "a.jsonl.gz"), "not in the gzip format"));
  CHECK(contains(refusal("x", "a.jsonl.zst"), "not in the zstd format"));
  for (const char* name : {"a.jsonl.bz2", "a.txt.xz", "a.zip", "a.tar.gz", "a.lz4"})
    CHECK(contains(refusal("x", name), "unpack it first"));
  CHECK(contains(refusal("PAR1", "a.parquet"), "Parquet"));
  CHECK(contains(refusal("x", "a.pbin"), "packed_tokens"));
}

TEST_CASE("input files: patterns give sorted names, a pattern without a match is an error") {
  const ScratchFolder folder;
  folder.write("b.txt", "b");
  folder.write("a.txt", "a");
  folder.write("c[1].txt", "c");
  const auto expand = [&](const std::string& name) {
    const std::string path = folder.path(name);
    return mortise::corpus::expand({path});
  };
  CHECK(expand("?.txt") == Texts{folder.path("a.txt"), folder.path("b.txt")});
  CHECK(expand("c[1].txt") == Texts{folder.path("c[1].txt")});
  CHECK(expand("no.txt") == Texts{folder.path("no.txt")});  // opening it says what is wrong
  CHECK(contains(message_of<mortise::DataError>([&] { expand("*.jsonl"); }), "no file matches"));
  CHECK_THROWS_AS(mortise::corpus::expand({}), mortise::ConfigError);
}
