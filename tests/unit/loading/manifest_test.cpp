#include "host/loading/manifest.hpp"

#include <doctest/doctest.h>

#include "plugin_bytes.hpp"

namespace mortise::tests {
namespace {

using host::FileFault;
using host::Manifest;
using host::parse_manifest;

// A manifest whose only component has this member `settings`.
std::string with_settings(const std::string& settings) {
  return R"({"id":"org.x.a","version":"1","sdk":"0.1","tables":{"mortise/model/1":"00000000"},)"
         R"("components":[{"interfaces":["mortise/model/1"],"key":"m","settings":)" +
         settings + "}]}";
}

std::string with_field(const std::string& field) {
  return with_settings(R"({"type":"object","properties":{"f":)" + field + "}}");
}

std::string fault_of(const std::string& text) {
  try {
    parse_manifest(text);
  } catch (const FileFault& fault) {
    CHECK_FALSE(fault.expected().empty());
    CHECK_FALSE(fault.got().empty());
    CHECK_FALSE(fault.advice().empty());
    return fault.what();
  }
  return "accepted";
}

TEST_CASE("manifest: every member is read") {
  const Manifest manifest = parse_manifest(
      R"({"id":"org.mortise.text","version":"0.3.1","sdk":"2.14","torch":"2.11.0+cpu",)"
      R"("accelerator":"cuda-13","compiler":"g++ 12.2.0","cxx11_abi":false,"license":"MIT",)"
      R"("tables":{"mortise/dataset/1":"0123456789abcdef","lab.nlp/scorer/12":""},)"
      R"("components":[{"interfaces":["mortise/dataset/1","lab.nlp/scorer/12"],"key":"data.pack",)"
      R"("doc":"packs","settings":{}}],"later":[1,{"x":null}]})");
  CHECK(manifest.id == "org.mortise.text");
  CHECK(manifest.version == "0.3.1");
  CHECK(manifest.sdk_major == 2);
  CHECK(manifest.sdk_minor == 14);
  CHECK(manifest.torch == "2.11.0+cpu");
  CHECK(host::torch_series(manifest.torch) == "2.11");
  CHECK(manifest.accelerator == "cuda-13");
  CHECK_FALSE(manifest.cxx11_abi);
  CHECK(manifest.license == "MIT");
  CHECK(manifest.tables.at("mortise/dataset/1") == "0123456789abcdef");
  REQUIRE(manifest.components.size() == 1);
  CHECK(manifest.components[0].interfaces.size() == 2);
  CHECK(manifest.components[0].key == "data.pack");
  CHECK(manifest.components[0].settings == R"({"type":"object","properties":{}})");
}

TEST_CASE("manifest: torch-free plugins and those without components are fine") {
  const Manifest manifest =
      parse_manifest(R"({"id":"a","version":"1","sdk":"0.1","tables":{},"components":[]})");
  CHECK(manifest.torch.empty());
  CHECK(manifest.accelerator == "none");
  CHECK(manifest.cxx11_abi);
}

TEST_CASE("manifest: the order of settings is kept") {
  const Manifest manifest = parse_manifest(with_settings(
      R"({"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"type":"string"}}})"));
  const std::string& settings = manifest.components[0].settings;
  CHECK(settings.find("zeta") < settings.find("alpha"));
}

TEST_CASE("manifest: every type of field is understood") {
  for (const char* field :
       {R"({"type":"boolean","default":true})", R"({"type":"integer","minimum":1,"maximum":1})",
        R"({"type":"number","default":1})", R"({"type":"number","default":3e-4,"unit":"1/step"})",
        R"({"type":"string","enum":["a","b"],"default":"a"})",
        R"({"type":"string","meaning":"amount","default":"2%"})",
        R"({"type":"array","items":{"type":"number"},"single":true,"default":[1,2]})",
        R"({"type":"map","values":{"component":"mortise/dataset/1"}})",
        R"({"type":"object","properties":{"g":{"type":"integer","known_as":["n_embd"]}}})",
        R"({"component":["mortise/model/1","lab/x/2"],"required":true,"positional":true})",
        R"({"type":"integer","default_path":"run.steps","short":"n","since":"0.1","new":7})"}) {
    CAPTURE(field);
    CHECK(fault_of(with_field(field)) == "accepted");
  }
}

TEST_CASE("manifest: a fault is told with its place") {
  struct Row {
    std::string text, fault;
  };
  const std::string field = "`components[0].settings.properties.f";
  for (const Row& row : {
           Row{"", "manifest is not readable"},
           Row{"[]", "manifest: it is no object"},
           Row{"{\"id\":\"a\",\"id\":\"b\"}", "manifest is not readable"},
           Row{R"({"version":"1"})", "manifest: it has no `id`"},
           Row{R"({"id":"../x"})", "manifest: `id` is no name"},
           Row{R"({"id":7})", "manifest: `id` is no text"},
           Row{R"({"id":"a","version":"1","sdk":"1"})", "manifest: `sdk` is no version"},
           Row{R"({"id":"a","version":"1","sdk":"1.-2"})", "manifest: `sdk` is no version"},
           Row{R"({"id":"a","version":"1","sdk":"0.1","tables":{"x":""}})", "has a key `x`"},
           Row{R"({"id":"a","version":"1","sdk":"0.1","tables":{"m/x/1":"12"}})",
               "`tables.m/x/1` is no fingerprint"},
           Row{R"({"id":"a","version":"1","sdk":"0.1","tables":{},"components":)"
               R"([{"key":"k","interfaces":["m/x/1"]}]})",
               "`components[0].interfaces[0]` has no fingerprint"},
           Row{R"({"id":"a","version":"1","sdk":"0.1","tables":{"m/x/1":""},"components":)"
               R"([{"key":"k","interfaces":["m/x/1"]},{"key":"k","interfaces":["m/x/1"]}]})",
               "`components[1]` offers `k` of m/x/1 a second time"},
           Row{with_settings(R"({"type":"array"})"), "settings.type` is no object type"},
           Row{with_field("7"), field + "` is no object"},
           Row{with_field("{}"), field + "` has no `type`"},
           Row{with_field(R"({"type":"date"})"), field + ".type` is no type"},
           Row{with_field(R"({"type":"array"})"), field + "` has no `items`"},
           Row{with_field(R"({"type":"map","values":{"type":"?"}})"), ".values.type` is no type"},
           Row{with_field(R"({"component":"model"})"), field + ".component` is no interface id"},
           Row{with_field(R"({"type":"integer","default":1.5})"), field + ".default` does not fit"},
           Row{with_field(R"({"type":"integer","minimum":2,"maximum":1})"), "minimum above"},
           Row{with_field(R"({"type":"integer","multiple_of":0})"), "is not positive"},
           Row{with_field(R"({"type":"string","meaning":"colour"})"), ".meaning` is no meaning"},
           Row{with_field(R"({"type":"string","enum":[]})"), ".enum` is empty"},
           Row{with_field(R"({"type":"string","short":"no"})"), ".short` is no single letter"},
           Row{with_field("{\"type\":\"string\",\"doc\":\"\\u001b[2J\"}"), "is not readable"},
           Row{with_settings(R"({"type":"object","properties":{},"rules":[{"rule":"x"}]})"),
               "rules[0].rule` is no rule"},
           Row{with_settings(R"({"type":"object","properties":{},"rules":)"
                             R"([{"rule":"requires","a":"p","b":"q"}]})"),
               "rules[0].a` is no setting"},
       }) {
    CAPTURE(row.text);
    CAPTURE(fault_of(row.text));
    CHECK(contains(fault_of(row.text), row.fault));
  }
}

TEST_CASE("manifest: depth and number of names are bounded") {
  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 40; ++i) deep = R"({"type":"array","items":)" + deep + "}";
  CHECK(contains(fault_of(with_field(deep)), "manifest is not readable"));
  CHECK(fault_of(std::string(100'000, '[')) == "manifest is not readable");

  std::string wide = "{";
  for (int i = 0; i < 1001; ++i)
    wide += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":{\"type\":\"string\"}";
  CHECK(contains(fault_of(with_settings(R"({"type":"object","properties":)" + wide + "}}")),
                 "manifest is not readable"));
}

}  // namespace
}  // namespace mortise::tests
