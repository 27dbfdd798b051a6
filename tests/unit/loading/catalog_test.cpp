#include "host/loading/catalog.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "host/failure.hpp"
#include "plugin_bytes.hpp"

namespace mortise::tests {
namespace {

using host::PluginCatalog;
using host::SearchPlace;

constexpr const char* kTokenizer = "mortise/tokenizer/1";

PluginCatalog catalog_of(const TemporaryFolder& folder) {
  return {{{SearchPlace::Kind::folder, folder.path(), "test folder", true, ""}}, fitting_host()};
}

host::Failure failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const host::Failure& failure) {
    CHECK(failure.exit() == host::Exit::plugin);
    return failure;
  }
  return {"none", host::Exit::done, "no failure"};
}

TEST_CASE("catalog: an offer names plugin, version, file, schema and component") {
  const TemporaryFolder folder;
  folder.copy("good.so", "good.so");
  const PluginCatalog catalog = catalog_of(folder);
  const auto offers = catalog.find(kTokenizer, "tiny");
  REQUIRE(offers.size() == 1);
  CHECK(offers[0].plugin == "org.mortise.fixture.good");
  CHECK(offers[0].version == "1.2.0");
  CHECK(offers[0].file == folder / "good.so");
  CHECK(offers[0].component == 0);
  CHECK(contains(offers[0].settings, "\"offset\""));
  CHECK(catalog.keys(kTokenizer) == std::vector<std::string>{"tiny"});
  CHECK(catalog.find("mortise/model/1", "tiny").empty());
  CHECK(catalog.require(kTokenizer, "tiny").plugin == "org.mortise.fixture.good");
}

TEST_CASE("catalog: a name that two plugins offer is an error that says how to qualify it") {
  const TemporaryFolder folder;
  folder.copy("good.so", "good.so");
  folder.copy("same_key.so", "twin.so");
  const PluginCatalog catalog = catalog_of(folder);
  CHECK(catalog.find(kTokenizer, "tiny").size() == 2);
  const auto failure = failure_of([&] { catalog.require(kTokenizer, "tiny"); });
  const std::string text = failure.what();
  CHECK(failure.id() == "P1020");
  CHECK(contains(text, "`tiny` is offered by 2 plugins"));
  CHECK(contains(text, "org.mortise.fixture.good 1.2.0 (" + (folder / "good.so").string() + ")"));
  CHECK(contains(text, "com.other.fixture.twin 1.2.0 (" + (folder / "twin.so").string() + ")"));
  CHECK(contains(text, "`com.other.fixture.twin:tiny`"));
  CHECK(catalog.require(kTokenizer, "tiny", "com.other.fixture.twin").file == folder / "twin.so");
}

TEST_CASE("catalog: a byte copy under another name is a clash, a link is not") {
  const TemporaryFolder folder;
  folder.copy("good.so", "a.so");
  fs::create_symlink(folder / "a.so", folder / "link.so");
  CHECK(catalog_of(folder).find(kTokenizer, "tiny").size() == 1);

  folder.copy("good.so", "b.so");
  const PluginCatalog catalog = catalog_of(folder);
  CHECK(catalog.find(kTokenizer, "tiny").empty());
  REQUIRE(catalog.entries().size() == 2);
  for (const host::CatalogEntry& entry : catalog.entries()) {
    const auto* clash = finding(entry.judgement, "P1020");
    REQUIRE(clash != nullptr);
    CHECK(clash->what == "has the same id as another plugin: org.mortise.fixture.good");
    CHECK(contains(clash->got, entry.judgement.file == folder / "a.so" ? "b.so" : "a.so"));
  }
  const auto failure = failure_of([&] { catalog.require(kTokenizer, "tiny"); });
  CHECK(failure.id() == "P1020");
  CHECK(contains(failure.what(), "refused:  " + (folder / "a.so").string() + ": P1020"));
}

TEST_CASE("catalog: a refused plugin is fatal only if it is needed") {
  const TemporaryFolder folder;
  folder.copy("same_key.so", "fits.so");
  write_bytes(folder / "old.so", patched(bytes_of(fixture("good.so")), "\"torch\":\"2.11.0\"",
                                         "\"torch\":\"2.9.01\""));
  write_bytes(folder / "broken.so", "hello");
  const PluginCatalog catalog = catalog_of(folder);
  CHECK(catalog.entries().size() == 3);
  CHECK(catalog.require(kTokenizer, "tiny").file == folder / "fits.so");
  CHECK(catalog.accepted_id("com.other.fixture.twin") != nullptr);
  CHECK(catalog.accepted(folder / "old.so") == nullptr);

  const auto failure =
      failure_of([&] { catalog.require(kTokenizer, "tiny", "org.mortise.fixture.good"); });
  const std::string text = failure.what();
  CHECK(failure.id() == "P1012");
  CHECK(contains(text, "`org.mortise.fixture.good:tiny` (mortise/tokenizer/1) is not offered by"));
  CHECK(contains(text, "refused:  " + (folder / "old.so").string() + ": P1012: built for"));
  CHECK(contains(text, "refused:  " + (folder / "broken.so").string() + ": P1002: is a text file"));
  CHECK(contains(catalog.why_absent(kTokenizer, "tiny", "org.mortise.fixture.good"), "P1012"));
}

TEST_CASE("catalog: a name that nobody offers is answered with those there are") {
  const TemporaryFolder folder;
  folder.copy("good.so", "good.so");
  const PluginCatalog catalog = catalog_of(folder);
  const auto failure = failure_of([&] { catalog.require(kTokenizer, "tinny"); });
  CHECK(failure.id() == "P1021");
  CHECK(contains(failure.what(), "expected: tiny\n  got:      tinny"));
  CHECK(contains(failure.what(), "mortise plugin why tinny"));
}

TEST_CASE("catalog: drafts of an interface that only plugins know must agree between them") {
  const TemporaryFolder folder;
  folder.copy("same_key.so", "b.so");
  write_bytes(folder / "a.so",
              patched(bytes_of(fixture("good.so")), "a1b2c3d4e5f60718", "a1b2c3d4e5f60700"));
  host::HostIdentity host = fitting_host();
  host.tables.clear();
  const PluginCatalog catalog({{SearchPlace::Kind::folder, folder.path(), "test", true, ""}}, host);
  CHECK(catalog.accepted(folder / "a.so") != nullptr);
  CHECK(catalog.accepted(folder / "b.so") == nullptr);
  const auto* refusal = finding(catalog.entries()[1].judgement, "P1011");
  REQUIRE(refusal != nullptr);
  CHECK(contains(refusal->what,
                 "another draft of mortise/tokenizer/1 than org.mortise.fixture.good"));
}

}  // namespace
}  // namespace mortise::tests
