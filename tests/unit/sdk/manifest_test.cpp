// The manifest that the compiler writes into a plugin's ELF note. The plugin is the example of
// sdk/README.md.

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <mortise/c/plugin.h>

#include <filesystem>
#include <mortise/kit/manifest.hpp>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/plugins_data/scratch_folder.hpp"
#include "tests/unit/sdk/elf_note.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;

const std::string kPlugin = std::string(MORTISE_FIXTURE_PLUGIN_DIR) + "/mortise_warmup_example.so";

const mt_plugin_v1& opened() {
  void* library = dlopen(kPlugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library != nullptr, dlerror());
  return *reinterpret_cast<const mt_plugin_v1* (*)()>(dlsym(library, "mortise_plugin"))();
}

template <class I>
std::string fingerprint_text() {
  std::string text;
  for (const std::uint32_t code : Remote<I>::Methods::fingerprint()) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", code);
    text += digits;
  }
  return text;
}

}  // namespace

TEST_CASE("manifest: the note of a plugin is what its table says") {
  const std::vector<std::string> found = manifests_in(kPlugin);
  REQUIRE(found.size() == 1);
  CHECK(found[0] == opened().manifest);
}

TEST_CASE("manifest: it is JSON that names the plugin, its tables, components and settings") {
  const auto manifest = nlohmann::json::parse(manifests_in(kPlugin).at(0));
  CHECK(manifest["id"] == "org.example.warmup");
  CHECK(manifest["version"] == MORTISE_VERSION);
  CHECK(manifest["sdk"] == "0.2");
  CHECK(manifest["cxx11_abi"] == true);
  CHECK_FALSE(manifest.contains("torch"));  // torch-free
  CHECK_FALSE(manifest["compiler"].get<std::string>().empty());
  CHECK(manifest["tables"]["mortise/learning_rate_schedule/1"] ==
        fingerprint_text<LearningRateSchedule>());
  CHECK(manifest["tables"]["mortise/logger/1"] == fingerprint_text<Logger>());
  REQUIRE(manifest["components"].size() == 1);
  const auto& component = manifest["components"][0];
  CHECK(component["key"] == "warmup");
  CHECK(component["interfaces"] == nlohmann::json::array({"mortise/learning_rate_schedule/1"}));
  CHECK(component["doc"] == "linear rise to a constant factor");
  const auto& properties = component["settings"]["properties"];
  CHECK(properties["peak"] ==
        nlohmann::json::parse(
            R"({"type":"number","doc":"factor after the rise","minimum":0,"default":1})"));
  CHECK(properties["warmup"]["unit"] == "steps");
  CHECK(properties["warmup"]["default"] == 100);
}

TEST_CASE("manifest: it survives stripping") {
  const ScratchFolder folder;
  const std::string stripped = folder.path("stripped.so");
  if (std::system(("strip -s -o " + stripped + " " + kPlugin + " 2> /dev/null").c_str()) != 0) {
    MESSAGE("skipped: there is no strip here");
    return;
  }
  CHECK(manifests_in(stripped) == manifests_in(kPlugin));
}

TEST_CASE("manifest: a plugin that passes tensors says which LibTorch it is locked to") {
  const std::vector<std::string> found =
      manifests_in(std::string(MORTISE_PLUGIN_DIR) + "/mortise_adamw.so");
  REQUIRE(found.size() == 1);
  const auto manifest = nlohmann::json::parse(found[0]);
  const std::string torch = manifest["torch"];
  CHECK(torch.substr(0, 5) == "2.11.");
  CHECK(manifest["accelerator"] == "none");
  CHECK(manifest["tables"].contains("mortise/optimizer/1"));
}

TEST_CASE("manifest: the tables of what a component uses stand in it too") {
  const std::vector<std::string> found =
      manifests_in(std::string(MORTISE_PLUGIN_DIR) + "/mortise_ddp.so");
  REQUIRE(found.size() == 1);
  const auto tables = nlohmann::json::parse(found[0])["tables"];
  for (const char* id :
       {"mortise/owner/1", "mortise/plan_builder/1", "mortise/mesh/1", "mortise/communicator/1",
        "mortise/work/1", "mortise/logger/1", "mortise/metrics/1"}) {
    CAPTURE(std::string(id));
    CHECK(tables.contains(id));
    CHECK(tables.value(id, "").size() % 8 == 0);
  }
}

TEST_CASE("manifest: the example of sdk/README.md is this plugin") {
  const std::string source = bytes_of_file(MORTISE_SOURCE_DIR "/tests/unit/sdk/warmup_plugin.cpp");
  REQUIRE_FALSE(source.empty());
  CHECK(bytes_of_file(MORTISE_SOURCE_DIR "/sdk/README.md").find("```cpp\n" + source + "```") !=
        std::string::npos);
  CHECK(std::count(source.begin(), source.end(), '\n') <= 40);
}
