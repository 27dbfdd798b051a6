// No plugin of ours is left out: each component that the build made stands in one of the tests
// here.

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/unit/sdk/elf_note.hpp"

namespace fs = std::filesystem;
using namespace mortise::tests;

TEST_CASE("contract: every component of every plugin runs the suite of its kind") {
  std::string tests;
  for (const auto& entry : fs::directory_iterator(MORTISE_SOURCE_DIR "/tests/contract"))
    if (entry.path().filename() != "every_plugin_test.cpp")
      tests += bytes_of_file(entry.path().string());
  int components = 0;
  for (const auto& entry : fs::directory_iterator(MORTISE_PLUGIN_DIR)) {
    if (entry.path().extension() != ".so") continue;
    CAPTURE(entry.path().string());
    const std::vector<std::string> manifests = manifests_in(entry.path().string());
    REQUIRE(manifests.size() == 1);
    const auto manifest = nlohmann::json::parse(manifests.front());
    for (const auto& component : manifest["components"]) {
      const std::string key = component["key"];
      CAPTURE(key);
      CHECK(tests.find('"' + key + '"') != std::string::npos);
      ++components;
    }
  }
  CHECK(components >= 20);
}
