#include "host/loading/plugin_report.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "host/failure.hpp"
#include "host/loading/report/settings_table.hpp"
#include "plugin_bytes.hpp"

namespace mortise::tests {
namespace {

using host::PluginCatalog;
using host::SearchPlace;
using nlohmann::json;

// good.so, its twin, a refused copy for another LibTorch and a text file.
struct Installed {
  TemporaryFolder folder;
  Installed() {
    folder.copy("good.so", "good.so");
    folder.copy("same_key.so", "twin.so");
    write_bytes(folder / "old.so",
                patched(patched(bytes_of(fixture("good.so")), "2.11.0", "2.10.0"), "fixture.good",
                        "fixture.aged"));
    write_bytes(folder / "text.so", "hello");
    fs::create_symlink(folder / "good.so", folder / "zlink.so");
  }
  PluginCatalog catalog() const {
    return {{{SearchPlace::Kind::folder, folder.path(), "test folder", true, ""},
             {SearchPlace::Kind::folder, folder / "absent", "user folder", false, ""},
             {SearchPlace::Kind::folder, "/x", "MORTISE_PLUGIN_PATH", false,
              "ignored with elevated rights"}},
            fitting_host()};
  }
};

TEST_CASE("plugin_report: list shows plugins with their components, then what is refused") {
  const Installed installed;
  const std::string text = list_text(installed.catalog());
  CHECK(contains(text, "org.mortise.fixture.good 1.2.0  (test folder: "));
  CHECK(contains(text, "  tokenizer                tiny                 one id for each byte\n"));
  CHECK(contains(text, "refused or doubtful:\n"));
  CHECK(contains(text, "old.so: P1012: built for LibTorch 2.10.0"));
  CHECK(contains(text, "text.so: P1002: is a text file"));

  const json parsed = json::parse(list_json(installed.catalog()));
  REQUIRE(parsed["plugins"].size() == 4);
  CHECK(parsed["plugins"][0]["id"] == "org.mortise.fixture.good");
  CHECK(parsed["plugins"][0]["accepted"] == true);
  CHECK(parsed["plugins"][1]["findings"][0]["id"] == "P1012");
  CHECK_FALSE(parsed["plugins"][2].contains("components"));
}

TEST_CASE("plugin_report: list says so when there is nothing") {
  CHECK(list_text(PluginCatalog({}, fitting_host())) == "no plugin found\n");
}

TEST_CASE("plugin_report: inspect shows what a file needs and all that is wrong with it") {
  const host::Judgement judgement = judge(fixture("extra_export.so"), fitting_host());
  const std::string text = inspect_text(judgement);
  for (const char* part :
       {"judgement     refused", "plugin        org.mortise.fixture.good 1.2.0",
        "LibTorch      2.11.0, accelerator none", "built with    gcc, SDK 0.1",
        "RUNPATH       $ORIGIN", "symbols       2 exported", "constructors",
        "bytes of thread-local memory", "component     tiny (tokenizer): one id for each byte",
        "error[P1015]: exports 1 symbol"}) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
  const json parsed = json::parse(inspect_json(judgement));
  CHECK(parsed["library"]["exports"].size() == 2);
  CHECK(parsed["findings"][0]["do"].get<std::string>().size() > 10);
  CHECK(contains(inspect_text(judge("/nowhere/x.so", fitting_host())),
                 "error[P1001]: does not exist"));
}

TEST_CASE("plugin_report: a plugin is named by its id, never by a path") {
  const Installed installed;
  const PluginCatalog catalog = installed.catalog();
  CHECK(entry_named(catalog, "com.other.fixture.twin").judgement.file ==
        installed.folder / "twin.so");
  CHECK_FALSE(entry_named(catalog, "org.mortise.fixture.aged").judgement.accepted());
  for (const char* name : {"../x.so", "a/b", "", "-x", "a:b:c", "x y"}) {
    CAPTURE(name);
    try {
      entry_named(catalog, name);
      FAIL("accepted");
    } catch (const host::Failure& failure) {
      CHECK(failure.exit() == host::Exit::configuration);
    }
  }
  CHECK_THROWS_AS(entry_named(catalog, "org.unknown"), host::Failure);
}

TEST_CASE("plugin_report: docs come from the schema in the manifest") {
  const Installed installed;
  const PluginCatalog catalog = installed.catalog();
  const std::string text = docs_text(catalog, "org.mortise.fixture.good:tiny");
  CHECK(contains(text, "## tiny\n\ntokenizer of org.mortise.fixture.good 1.2.0\n\n"));
  CHECK(contains(text, "| `offset` | integer | `3` | at least 0 | added to each id |\n"));
  CHECK(contains(text, "| `order` | one of `as_is`, `shuffled` | `as_is` |  |  |\n"));
  CHECK(json::parse(docs_json(catalog, "tiny"))["components"].size() == 2);
  CHECK(json::parse(docs_json(catalog))["components"].size() == 2);
  CHECK(contains(docs_text(catalog, "org.mortise.fixture.aged"), "## tiny"));
  CHECK_THROWS_AS(docs_text(catalog, "tinny"), host::Failure);
}

TEST_CASE("plugin_report: a table of settings shows every kind of field") {
  const std::string table = host::settings_table(
      R"({"type":"object","properties":{)"
      R"("rate":{"type":"number","required":true,"minimum":0,"maximum":1,"doc":"a|b"},)"
      R"("warmup":{"type":"string","meaning":"amount","default":"2%","unit":"steps"},)"
      R"("data":{"type":"array","single":true,"items":{"component":"mortise/dataset/1"}},)"
      R"("sinks":{"type":"map","values":{"component":["mortise/metric_sink/1","lab/x/1"]}},)"
      R"("steps":{"type":"integer","default_path":"run.steps","multiple_of":8},)"
      R"("window":{"type":"object","properties":{"size":{"type":"integer","default":4}}},)"
      R"("parts":{"type":"array","items":{"type":"object","properties":{"at":{"type":"boolean"}}}})"
      R"(},"rules":[{"rule":"less_than","a":"steps","b":"rate"}]})");
  for (const char* row :
       {"| `rate` | number | required | at least 0, at most 1 | a\\|b |",
        "| `warmup` | amount | `2%` | in steps |  |",
        "| `data` | list of dataset component; one bare value too | not set |  |  |",
        "| `sinks` | map of names to metric_sink or lab/x/1 component | not set |  |  |",
        "| `steps` | integer | as `run.steps` | multiple of 8 |  |",
        "| `window.size` | integer | `4` |  |  |", "| `parts[].at` | boolean | not set |  |  |",
        "- `steps` must be less than `rate`"}) {
    CAPTURE(table);
    CHECK(contains(table, row));
  }
  CHECK(host::settings_table(R"({"type":"object","properties":{}})") == "No settings.\n");
}

TEST_CASE("plugin_report: why shows the order and why each candidate was taken or not") {
  const Installed installed;
  const PluginCatalog catalog = installed.catalog();
  const std::string text = why_text(catalog, "tiny");
  const std::string folder = installed.folder.path().string();
  for (const std::string& part :
       {std::string("`tiny` is ambiguous\n"), "1. " + folder + " (test folder)\n",
        "2. " + folder + "/absent (user folder)  does not exist\n",
        std::string("3. /x (MORTISE_PLUGIN_PATH)  ignored with elevated rights\n"),
        folder + "/good.so: ambiguous: org.mortise.fixture.good 1.2.0 offers tiny (tokenizer)",
        folder + "/old.so: refused: P1012: ", folder + "/text.so: refused: P1002: ",
        folder + "/zlink.so: passed over: the same file as " + folder + "/good.so\n"}) {
    CAPTURE(text);
    CHECK(contains(text, part));
  }
  const std::string qualified = why_text(catalog, "com.other.fixture.twin:tiny");
  CHECK(contains(qualified, "is found\n"));
  CHECK(contains(qualified, "twin.so: taken: com.other.fixture.twin 1.2.0 offers tiny"));
  CHECK(contains(qualified, "good.so: not this name: "));
  const json parsed = json::parse(why_json(catalog, "llama"));
  CHECK(parsed["conclusion"] == "`llama` is not offered by any plugin");
  CHECK(parsed["candidates"].size() == 5);
}

TEST_CASE("plugin_report: no plugin was loaded for any of it") {
  const Installed installed;
  const PluginCatalog catalog = installed.catalog();
  list_text(catalog), docs_text(catalog), why_text(catalog, "tiny");
  CHECK(::dlopen((installed.folder / "good.so").c_str(), RTLD_NOLOAD | RTLD_NOW) == nullptr);
}

}  // namespace
}  // namespace mortise::tests
