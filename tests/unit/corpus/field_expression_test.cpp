// Which text of a record `field` takes.

#include "plugins/data/corpus/field_expression.hpp"

#include <doctest/doctest.h>

#include <mortise/error.hpp>

#include "plugins/data/corpus/jsonl_record.hpp"
#include "plugins/data/corpus/text_batch.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;

std::string text_of(std::string_view field, std::string record) {
  record.reserve(record.size() + mortise::corpus::TextBuffer::kPadding);
  mortise::corpus::JsonlRecord reader(mortise::corpus::field_expression(field));
  return std::string(reader.text_of(record));
}

}  // namespace

TEST_CASE("field: keys, paths and joined texts") {
  struct Row {
    const char *field, *text;
  };
  const std::string record =
      R"({"title":"T","body":"B\n","meta":{"body":"M","deep":{"x y":"D","":"E"}},"a.b":"dots","a+b":"plus"})";
  for (const Row& row :
       {Row{"title", "T"}, Row{".title", "T"}, Row{".meta.body", "M"},
        Row{".meta.deep.\"x y\"", "D"}, Row{".meta.deep.\"\"", "E"}, Row{".\"a.b\"", "dots"},
        Row{"a.b", "dots"}, Row{"a+b", "plus"}, Row{".title + \"\\n\" + .body", "T\nB\n"},
        Row{".title+.meta.body", "TM"}, Row{" \"<\\u003e\" +\t.title ", "<>T"}}) {
    CAPTURE(row.field);
    CHECK(text_of(row.field, record) == row.text);
  }
}

TEST_CASE("field: what is no expression names the column") {
  struct Row {
    const char *field, *message;
  };
  for (const Row& row :
       {Row{"", "got nothing"}, Row{".", "column 2 of '.': expected a key"},
        Row{".a +", "column 5"}, Row{".a .b", "column 4 of '.a .b': expected + or the end"},
        Row{".a[0]", "column 3"}, Row{".a | .b", "column 4"}, Row{".a + b", "column 6"},
        Row{".a + \"x", "in quotes"}, Row{".a + \"\\q\"", "in quotes"},
        Row{".\"\\", "in quotes"}}) {
    CAPTURE(row.field);
    const std::string message =
        message_of<mortise::ConfigError>([&] { mortise::corpus::field_expression(row.field); });
    CAPTURE(message);
    CHECK(contains(message, row.message));
  }
}

TEST_CASE("field: a path that leads nowhere names how far it came") {
  struct Row {
    const char *record, *message;
  };
  for (const Row& row :
       {Row{R"({"meta":{"x":1}})", "no key \".meta.body\"; its keys are \"x\""},
        Row{R"({"meta":7})", "key \"meta\": expected an object, got a number"},
        Row{R"({"meta":{"body":null}})", "key \".meta.body\" is null, expected text"},
        Row{R"({"meta":{"body":"a","body":"b"}})", "key \".meta.body\" stands there twice"}}) {
    CAPTURE(row.record);
    const std::string message = message_of<mortise::corpus::BadRecord>(
        [&] { text_of(".title + .meta.body", "{\"title\":\"T\"," + std::string(row.record + 1)); });
    CAPTURE(message);
    CHECK(contains(message, row.message));
  }
}
