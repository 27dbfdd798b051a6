// Plugins that were built with default visibility and without the version script, of two versions
// of the SDK: the gate refuses them, and opened directly they still keep their own tables.

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <map>
#include <mortise/data/tokenizer.hpp>

#include "tests/end_to_end/trial.hpp"
#include "tests/unit/loaded_component.hpp"
#include "tests/unit/loading/plugin_bytes.hpp"

namespace {

namespace fs = std::filesystem;

using namespace mortise;
using mortise::tests::fixture_plugin;

mt_object logger_only(void* self, const char* id) {
  if (std::string_view(id) != Remote<Logger>::id) return {};
  return kit::object_of<Logger>(*static_cast<mortise::tests::KeptLog*>(self));
}

// A made tokenizer of a file, through nothing but its tables.
class Opened {
 public:
  explicit Opened(const char* file) {
    void* const library = ::dlopen(fixture_plugin(file).c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, ::dlerror());
    using Entry = const mt_plugin_v1* (*)();
    component_ = reinterpret_cast<Entry>(::dlsym(library, "mortise_plugin"))()->components[0];
    kit::Failure failure;
    failure.check(component_->create({nullptr, 0}, &context_, &made_, failure.sink()));
  }
  ~Opened() { component_->destroy(made_); }
  Opened(const Opened&) = delete;

  mt_object tokenizer() const { return component_->view(made_, Remote<Tokenizer>::id); }

 private:
  mortise::tests::KeptLog log_;
  mt_context_v1 context_{kit::head_of<mt_context_v1>(), &log_, &logger_only, {"", 0}, 1};
  const mt_component_v1* component_ = nullptr;
  void* made_ = nullptr;
};

// What SDK 0.1 had: interface id -> fingerprint, and the names that were broken since on purpose.
std::map<std::string, std::string> tables_of_0_1() {
  std::ifstream file(MORTISE_SOURCE_DIR "/tests/abi/frozen/0.1/names.txt");
  std::map<std::string, std::string> tables;
  for (std::string kind, name, equals, value; file >> kind >> name >> equals >> value;)
    if (kind == "table") tables[name] = value;
  return tables;
}
bool broken_on_purpose(const std::string& id) {
  std::ifstream file(MORTISE_SOURCE_DIR "/tests/abi/frozen/0.1/exceptions.txt");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(id + ":")) return true;
  return false;
}

}  // namespace

TEST_CASE("opened directly: two versions of one table stay apart without the version script") {
  const Opened frozen("abi/open_frozen"), newer("abi/open_newer");
  const mt_object one = frozen.tokenizer(), two = newer.tokenizer();
  CHECK(one.table != two.table);
  CHECK(one.table->struct_size == 8 + 6 * sizeof(void (*)()));
  CHECK(two.table->struct_size > sizeof(mt_tokenizer_v1));
  for (const mt_object& object : {one, two}) {
    const Remote<Tokenizer> tokenizer(object);
    CHECK(tokenizer.encode("ab") == std::vector<std::uint32_t>{97, 98});
    CHECK(tokenizer.special_tokens().front().id == 256);
  }
}

TEST_CASE("opened directly: the gate refuses what has no version script") {
  for (const char* name : {"abi/open_frozen", "abi/open_newer"}) {
    const host::Judgement judgement = host::judge(fixture_plugin(name), tests::fitting_host());
    const host::PluginFinding* found = tests::finding(judgement, "P1015");
    REQUIRE(found != nullptr);
    CHECK(found->what.find("besides its entry point") != std::string::npos);
  }
}

TEST_CASE("a host of SDK 0.1 has no objection to the plugins of this tree") {
  host::HostIdentity host = tests::fitting_host();
  host.tables = tables_of_0_1();
  CHECK(host.tables.size() > 20);
  std::erase_if(host.tables, [](const auto& table) { return broken_on_purpose(table.first); });
  int judged = 0;
  for (const auto& file : fs::directory_iterator(MORTISE_PLUGIN_DIR)) {
    CAPTURE(file.path().string());
    if (file.path().extension() != ".so") continue;  // a library that a plugin brings along
    const host::Judgement judgement = host::judge(file.path(), host);
    REQUIRE(judgement.manifest.has_value());
    CHECK(tests::finding(judgement, "P1010") == nullptr);
    CHECK(tests::finding(judgement, "P1011") == nullptr);
    ++judged;
  }
  CHECK(judged > 5);
}
