#include "host/loading/plugin_search.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "host/failure.hpp"
#include "plugin_bytes.hpp"

namespace mortise::tests {
namespace {

using host::Candidate;
using host::SearchEnvironment;
using host::SearchPlace;
using Kind = SearchPlace::Kind;

SearchEnvironment environment() {
  SearchEnvironment environment;
  environment.plugin_path = "/path/one:relative::/path/two";
  environment.home = "/home/user";
  environment.executable = "/opt/mortise/bin/mortise";
  return environment;
}

std::vector<std::string> paths_of(const std::vector<SearchPlace>& places) {
  std::vector<std::string> paths;
  for (const SearchPlace& place : places)
    if (place.passed_over.empty()) paths.push_back(place.path.string());
  return paths;
}

TEST_CASE("plugin_search: files, folders, MORTISE_PLUGIN_PATH, user and installation, in order") {
  const auto places = search_places({{Kind::folder, "/from/yaml", "run.yaml:4:3", true, ""},
                                     {Kind::file, "/given/x.so", "--plugin", true, ""}},
                                    environment());
  CHECK(paths_of(places) == std::vector<std::string>{"/given/x.so", "/from/yaml", "/path/one",
                                                     "/path/two",
                                                     "/home/user/.local/share/mortise/plugins",
                                                     "/opt/mortise/lib/mortise/plugins"});
}

TEST_CASE("plugin_search: a relative folder of MORTISE_PLUGIN_PATH is passed over") {
  for (const SearchPlace& place : search_places({}, environment()))
    if (place.path == "relative") CHECK(place.passed_over == "ignored: not an absolute path");
}

TEST_CASE("plugin_search: XDG_DATA_HOME moves the user's folder, if it is absolute") {
  SearchEnvironment changed = environment();
  changed.plugin_path.reset();
  changed.xdg_data_home = "/data";
  CHECK(paths_of(search_places({}, changed)).front() == "/data/mortise/plugins");
  changed.xdg_data_home = "data";
  CHECK(paths_of(search_places({}, changed)).front() == "/home/user/.local/share/mortise/plugins");
}

TEST_CASE("plugin_search: with elevated rights the environment chooses no folder") {
  SearchEnvironment elevated = environment();
  elevated.elevated = true;
  CHECK(paths_of(search_places({}, elevated)) ==
        std::vector<std::string>{"/opt/mortise/lib/mortise/plugins"});
}

TEST_CASE("plugin_search: a folder gives its *.so, in order of names") {
  const TemporaryFolder folder;
  for (const char* name : {"b.so", "a.so", "notes.txt", "c.so.1", ".hidden.so"})
    write_bytes(folder / name, name);
  const auto found = host::find_candidates({{Kind::folder, folder.path(), "test", true, ""}});
  REQUIRE(found.size() == 2);
  CHECK(found[0].file == folder / "a.so");
  CHECK(found[1].file == folder / "b.so");
  CHECK(found[0].origin == "test");
}

TEST_CASE("plugin_search: one file, listed twice or through links, is judged once") {
  const TemporaryFolder folder;
  write_bytes(folder / "a.so", "x");
  fs::create_symlink(folder / "a.so", folder / "b.so");
  fs::create_hard_link(folder / "a.so", folder / "c.so");
  fs::create_symlink(folder / "nowhere", folder / "d.so");
  const auto found = host::find_candidates({{Kind::file, folder / "b.so", "--plugin", true, ""},
                                            {Kind::folder, folder.path(), "folder", true, ""}});
  REQUIRE(found.size() == 5);
  CHECK(found[0].passed_over.empty());
  CHECK(found[0].target == folder / "a.so");
  for (const std::size_t i : {1, 2, 3})
    CHECK(found[i].passed_over == "the same file as " + (folder / "b.so").string());
  CHECK(found[4].passed_over.empty());  // judged, so that it is reported
}

TEST_CASE("plugin_search: a required place that is not there is an error, others are not") {
  const TemporaryFolder folder;
  CHECK(
      host::find_candidates({{Kind::folder, folder / "absent", "user folder", false, ""}}).empty());
  for (const Kind kind : {Kind::folder, Kind::file}) {
    try {
      host::find_candidates({{kind, folder / "absent", "run.yaml:4:3", true, ""}});
      FAIL("accepted");
    } catch (const host::Failure& failure) {
      CHECK(failure.id() == "P1001");
      CHECK(failure.exit() == host::Exit::plugin);
      CHECK(contains(failure.what(), (folder / "absent").string()));
      CHECK(contains(failure.what(), "run.yaml:4:3"));
    }
  }
}

TEST_CASE("plugin_search: nothing is looked for in the working folder") {
  CHECK_THROWS_AS(host::find_candidates({{Kind::folder, "plugins", "run.yaml", true, ""}}),
                  host::Failure);
}

TEST_CASE("plugin_search: the process knows its own executable") {
  CHECK(host::environment_of_this_process().executable.is_absolute());
}

}  // namespace
}  // namespace mortise::tests
