// The schema of a Config: what every type and every modifier writes into the manifest.

#include <doctest/doctest.h>

#include <map>

#include "tests/unit/sdk/every_setting.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;

struct Text {
  std::string all;
  void put(char c) { all += c; }
};
template <class Config>
std::string schema_of() {
  Text out;
  kit::schema<Config>(out);
  return out.all;
}
std::string number_of(double v) {
  Text out;
  kit::number(out, v);
  return out.all;
}

std::string window(const char* overlap) {
  return R"("type":"object","properties":{"size":{"type":"integer","doc":"length","minimum":1,"default":8},)"
         R"("overlap":{"type":"number","doc":"share","minimum":0,"maximum":1,"default":)" +
         std::string(overlap) + R"(}},"rules":[{"rule":"requires","a":"overlap","b":"size"}])";
}

}  // namespace

TEST_CASE("schema: each type and each modifier stands in it") {
  const std::map<std::string, std::string> expected = {
      {"flag", R"("type":"boolean","doc":"a switch","default":true)"},
      {"count",
       R"("type":"integer","doc":"a count","unit":"steps","minimum":-10,"maximum":10,"multiple_of":3,"default":-3)"},
      {"small", R"("type":"integer","doc":"bytes","since":"0.2","meaning":"bytes","default":7)"},
      {"rate",
       R"("type":"number","doc":"a rate","minimum":0,"maximum":1,"known_as":["lr","eta"],"default":0.0003)"},
      {"text",
       R"("type":"string","doc":"a path\nand \"more\"","meaning":"path","positional":true,"default":"a \"quoted\" \\ text")"},
      {"order",
       R"("type":"string","doc":"an order","enum":["as_is","shuffled"],"short":"o","default":"shuffled")"},
      {"warmup", R"("type":"string","doc":"an amount","meaning":"amount","default":"2%")"},
      {"limit", R"("type":"integer","doc":"a limit","meaning":"tokens")"},
      {"label", R"("type":"string","doc":"a label")"},
      {"other_order", R"("type":"string","doc":"maybe an order","enum":["as_is","shuffled"])"},
      {"orders",
       R"("type":"array","items":{"type":"string"},"doc":"orders","enum":["as_is","shuffled"],"default":["shuffled"])"},
      {"sizes", R"("type":"array","items":{"type":"integer"},"doc":"sizes","default":[1,2,3])"},
      {"names",
       R"("type":"array","items":{"type":"string"},"doc":"names","single":true,"default":["norm","bias"])"},
      {"betas",
       R"("type":"array","items":{"type":"number"},"doc":"two numbers","default":[0.9,0.95])"},
      {"windows", R"("type":"array","items":{)" + window("0.25") + R"(},"doc":"windows")"},
      {"window", window("0.5") + R"(,"doc":"one window")"},
      {"weights", R"("type":"map","values":{"type":"number"},"doc":"weights by name")"},
      {"named_windows",
       R"("type":"map","values":{)" + window("0.25") + R"(},"doc":"windows by name")"},
      {"listener", R"("component":"test/listener/1","doc":"a component","required":true)"},
      {"listeners", R"("type":"array","items":{"component":"test/listener/1"},"doc":"components")"},
      {"sources",
       R"("type":"map","values":{"component":"test/listener/1"},"doc":"components by name")"},
      {"linked",
       R"("type":"integer","doc":"a link","meaning":"duration","default_path":"run.steps")"},
  };
  const std::string schema = schema_of<EverySetting>();
  for (const auto& [name, field] : expected) {
    const std::string member = "\"" + name + "\":{" + field + "}";
    CAPTURE(member);
    CHECK(schema.find(member) != std::string::npos);
  }
  CHECK(schema.substr(0, 31) == R"("type":"object","properties":{")");
}

TEST_CASE("schema: rules stand after the properties, in their order") {
  const std::string schema = schema_of<EverySetting>();
  const std::string rules =
      R"(},"rules":[{"rule":"less_than","a":"count","b":"small"},{"rule":"multiple_of","a":"small","b":"count"},)"
      R"({"rule":"requires","a":"label","b":"limit"}])";
  CHECK(schema.substr(schema.size() - rules.size()) == rules);
}

TEST_CASE("schema: no settings are an object without properties") {
  CHECK(schema_of<kit::NoConfig>() == R"("type":"object","properties":{})");
}

TEST_CASE("schema: numbers are short and give the same double back") {
  const std::pair<double, const char*> rows[] = {{0, "0"},
                                                 {1, "1"},
                                                 {-2.5, "-2.5"},
                                                 {0.1, "0.1"},
                                                 {1e-8, "1e-8"},
                                                 {3e-4, "0.0003"},
                                                 {6e-5, "6e-5"},
                                                 {0.95, "0.95"},
                                                 {1e15, "1000000000000000"},
                                                 {1e18, "1000000000000000000"},
                                                 {-1e18, "-1000000000000000000"},
                                                 {1.0 / 1024, "9765625e-10"}};
  for (const auto& [value, text] : rows) {
    CAPTURE(text);
    CHECK(number_of(value) == text);
    CHECK(std::stod(number_of(value)) == value);
  }
  for (const double value : {0.1 + 0.2, 1e-30, 1e19})
    CHECK_THROWS(number_of(value));  // at compile time: an error
}

TEST_CASE("schema: amounts are written as a run file writes them") {
  const std::pair<Amount, const char*> rows[] = {
      {steps(300), "\"300\""},
      {percent(2.5), "\"2.5%\""},
      {{1e9, Amount::Unit::tokens}, "\"1000000000 tokens\""},
      {{3, Amount::Unit::epochs}, "\"3 epochs\""},
      {{30, Amount::Unit::seconds}, "\"30s\""}};
  for (const auto& [amount, text] : rows) {
    Text out;
    kit::amount(out, amount);
    CHECK(out.all == text);
  }
}

TEST_CASE("schema: control characters in a text are escaped") {
  Text out;
  kit::quoted(out, "a\tb\nc\x01 \xc3\xbc");
  CHECK(out.all == "\"a\\u0009b\\nc\\u0001 \xc3\xbc\"");
}
