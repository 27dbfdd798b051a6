#include <doctest/doctest.h>

#include "tests/unit/config/run_folder.hpp"

using namespace mortise::tests;
using namespace mortise::host;

namespace {

const nlohmann::json kSchema = nlohmann::json::parse(R"({"type": "object", "properties": {
  "inputs": {"type": "array", "items": {"type": "string"}, "meaning": "path", "required": true, "positional": true},
  "tokenizer": {"component": "mortise/tokenizer/1", "default": "byte"},
  "field": {"type": "string", "default": ".text"},
  "hold_out": {"type": "string", "meaning": "amount", "default": "1%"},
  "top_k": {"type": "integer", "minimum": 1, "known_as": ["topk"]},
  "temperature": {"type": "number", "default": 1.0},
  "quiet": {"type": "boolean", "default": false},
  "memory": {"type": "integer", "meaning": "bytes", "default": 1024}}})");

std::string error_of(const std::vector<NamedText>& given) {
  try {
    check_settings(kSchema, given, FakeCatalog(), "data.pack");
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace

TEST_CASE("options: texts of a command line become typed settings with defaults") {
  const Setting options = check_settings(kSchema,
                                         {{"inputs", "a.txt", "IN"},
                                          {"inputs", "-", "IN"},
                                          {"top_k", "40", "--top-k"},
                                          {"quiet", "", "--quiet"},
                                          {"field", "a: {b", "--field"},
                                          {"memory", "16 MiB", "--memory"},
                                          {"tokenizer", "{use: byte, lower: true}", "--tokenizer"}},
                                         FakeCatalog(), "data.pack");
  CHECK(options.at("inputs").as_list()[0].as_text() ==
        (std::filesystem::current_path() / "a.txt").string());
  CHECK(options.at("inputs").as_list()[1].as_text() == "-");
  CHECK(options.at("top_k").as_int() == 40);
  CHECK(options.at("quiet").as_bool());
  CHECK(options.at("field").as_text() == "a: {b");
  CHECK(options.at("memory").as_int() == 16 << 20);
  CHECK(options.at("temperature").as_double() == 1.0);
  CHECK(options.at("hold_out").as_amount() == Amount{1, Amount::Unit::percent});
  CHECK(options.at("tokenizer").at("lower").as_bool());
  CHECK(options.at("temperature").origin == "default of data.pack");
}

TEST_CASE("options: all mistakes are reported with the option's name") {
  const std::string error = error_of({{"top_k", "many", "--top-k"},
                                      {"temperature", "1e400", "--temperature"},
                                      {"top-kk", "1", "--top-kk"},
                                      {"quiet", "maybe", "--quiet"},
                                      {"field", "a", "--field"},
                                      {"field", "b", "--field"},
                                      {"tokenizer", "bite", "--tokenizer"}});
  CAPTURE(error);
  CHECK(count(error, "error[") == 7);
  CHECK(contains(error, "--top-k: error[C0104]: top_k: `many` is not an integer"));
  CHECK(contains(error, "--temperature: error[C0105]"));
  CHECK(contains(
      error, "--top-kk: error[C0103]: top-kk: unknown setting of data.pack; did you mean top_k?"));
  CHECK(contains(error, "--quiet: error[C0104]: quiet: `maybe` is not true or false"));
  CHECK(contains(error, "--field: error[C0012]: field: is given twice"));
  CHECK(contains(error, "did you mean byte?"));
  CHECK(contains(error, "error[C0102]: inputs: is missing: data.pack needs a list"));
}

TEST_CASE("options: a component of any kind that has a section may be that of a run file") {
  const RunFolder folder;
  const std::string run = folder.write("run.yaml", whole_run());
  const nlohmann::json schema = nlohmann::json::parse(R"({"type": "object", "properties": {
    "model": {"component": "mortise/model/1"}, "set": {"component": "mortise/dataset/1"}}})");
  const auto checked = [&](const char* name) {
    return check_settings(schema, {{name, run, std::string("--") + name}}, FakeCatalog(), "x");
  };
  const Setting model = checked("model").at("model");
  CHECK(model.as_component().use == "llama");
  CHECK(model.at("width").as_int() == 192);
  CHECK(model.origin == run + ":6:8");
  CHECK_THROWS_WITH_AS(checked("set"), doctest::Contains("C0110"), Failure);
}

TEST_CASE("options: a command without options takes none") {
  CHECK(check_settings(nlohmann::json::object(), {}, FakeCatalog(), "x").as_map().empty());
  CHECK_THROWS_WITH_AS(
      check_settings(nlohmann::json::object(), {{"a", "1", "--a"}}, FakeCatalog(), "x"),
      doctest::Contains("it takes none"), Failure);
}
