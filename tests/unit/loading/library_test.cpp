#include "host/loading/library.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <stdexcept>

#include "host/failure.hpp"
#include "plugin_bytes.hpp"

namespace mortise::tests {
namespace {

using host::Judgement;

host::Failure failure_of_opening(const Judgement& judgement) {
  try {
    host::open_plugin(judgement);
  } catch (const host::Failure& failure) {
    CHECK(failure.exit() == host::Exit::plugin);
    CHECK(contains(failure.what(), judgement.file.string()));
    CHECK(contains(failure.what(), "expected: "));
    CHECK(contains(failure.what(), "do: "));
    return failure;
  }
  return {"none", host::Exit::done, "no failure"};
}

TEST_CASE("library: an accepted plugin gives its table, twice the same") {
  const Judgement judgement = judge(fixture("good.so"), fitting_host());
  const mt_plugin_v1& table = host::open_plugin(judgement);
  REQUIRE(table.component_count == 1);
  CHECK(std::string(table.components[0]->key) == "tiny");
  CHECK(table.manifest == judgement.elf->manifest);
  CHECK(&host::open_plugin(judgement) == &table);
}

TEST_CASE("library: its symbols stay out of the process, its code stays for good") {
  const Judgement judgement = judge(fixture("good.so"), fitting_host());
  host::open_plugin(judgement);
  CHECK(::dlsym(RTLD_DEFAULT, "mortise_plugin") == nullptr);
  void* mapped = ::dlopen(judgement.file.c_str(), RTLD_NOLOAD | RTLD_NOW);
  REQUIRE(mapped != nullptr);
  for (int i = 0; i < 3; ++i) ::dlclose(mapped);  // more often than there are handles
  CHECK(::dlopen(judgement.file.c_str(), RTLD_NOLOAD | RTLD_NOW) != nullptr);
}

TEST_CASE("library: a plugin loads with a library that lies beside it") {
  const TemporaryFolder folder;
  const fs::path file = folder.copy("needs_library.so", "x.so");
  folder.copy("loading_fixture_extra/libmortise_extra.so", "libmortise_extra.so");
  CHECK(host::open_plugin(judge(file, fitting_host())).component_count == 1);
}

TEST_CASE("library: a table that disagrees with the manifest is refused") {
  struct Row {
    const char* file;
    const char* text;
  };
  for (const Row& row :
       {Row{"table_disagrees.so", "the texts differ"}, Row{"short_table.so", "it is too short"},
        Row{"fails_to_load.so", "there is none"}}) {
    CAPTURE(row.file);
    const Judgement judgement = judge(fixture(row.file), fitting_host());
    REQUIRE(judgement.accepted());
    const host::Failure failure = failure_of_opening(judgement);
    CHECK(failure.id() == "P1023");
    CHECK(contains(failure.what(), row.text));
  }
}

TEST_CASE("library: components of the table are held against the manifest") {
  const Judgement judgement = judge(fixture("good.so"), fitting_host());
  const mt_plugin_v1& good = host::open_plugin(judgement);
  mt_component_v1 component = *good.components[0];
  const mt_component_v1* const list[] = {&component};
  mt_plugin_v1 table = good;
  table.components = list;
  check_table(&table, judgement);

  component.key = "other";
  CHECK_THROWS_AS(check_table(&table, judgement), host::Failure);
  component = *good.components[0];
  component.destroy = nullptr;
  CHECK_THROWS_AS(check_table(&table, judgement), host::Failure);
  component = *good.components[0];
  component.head.struct_size = 8;
  CHECK_THROWS_AS(check_table(&table, judgement), host::Failure);
  table.component_count = 2;
  CHECK_THROWS_AS(check_table(&table, judgement), host::Failure);
}

TEST_CASE("library: a file that changed since it was judged is not opened") {
  const TemporaryFolder folder;
  const fs::path file = folder.copy("good.so", "x.so");
  const Judgement judgement = judge(file, fitting_host());
  fs::last_write_time(file, fs::file_time_type::clock::now() + std::chrono::hours(1));
  CHECK(failure_of_opening(judgement).id() == "P1022");
  fs::remove(file);
  const host::Failure gone = failure_of_opening(judgement);
  CHECK(gone.id() == "P1022");
  CHECK(contains(gone.what(), "does not exist"));
}

TEST_CASE("library: a plugin that is loaded stays usable when its file is replaced") {
  const TemporaryFolder folder;
  const fs::path file = folder.copy("same_key.so", "x.so");
  const Judgement judgement = judge(file, fitting_host());
  const mt_plugin_v1& table = host::open_plugin(judgement);
  fs::remove(file);
  CHECK(&host::open_plugin(judgement) == &table);
}

TEST_CASE("library: an error of the dynamic linker is a failure with its text") {
  host::HostIdentity careless = fitting_host();
  careless.resolves = [](const std::string&) { return true; };
  const Judgement judgement = judge(fixture("undefined_symbol.so"), careless);
  REQUIRE(judgement.accepted());
  const host::Failure failure = failure_of_opening(judgement);
  CHECK(failure.id() == "P1022");
  CHECK(contains(failure.what(), "undefined symbol"));
}

TEST_CASE("library: opening a plugin that the gate refused is a bug of ours") {
  CHECK_THROWS_AS(host::open_plugin(judge(fixture("missing_entry.so"), fitting_host())),
                  std::logic_error);
}

}  // namespace
}  // namespace mortise::tests
