#ifndef BOOST_DLL_USE_STD_FS
#define BOOST_DLL_USE_STD_FS
#endif

#include "host/loading/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstddef>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mortise/kit/call_in_progress.hpp>
#include <stdexcept>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

namespace dll = boost::dll;

// Up to the last member of the first release: what was appended later may be missing.
constexpr std::size_t kPluginBytes =
    offsetof(mt_plugin_v1, component_count) + sizeof(mt_plugin_v1::component_count);
constexpr std::size_t kComponentBytes =
    offsetof(mt_component_v1, destroy) + sizeof(mt_component_v1::destroy);

[[noreturn]] void refuse(const Judgement& judgement, const PluginFinding& finding) {
  throw Failure(finding.id, Exit::plugin, describe(judgement.file, finding));
}

[[noreturn]] void refuse_table(const Judgement& judgement, std::string what, std::string expected,
                               std::string got) {
  refuse(judgement,
         {"P1023", "its table disagrees with its manifest: " + std::move(what), std::move(expected),
          std::move(got), "rebuild the plugin with MORTISE_PLUGIN, which writes both"});
}

// What was judged must be what is opened.
void check_unchanged(const Judgement& judgement) {
  const FileSource now(judgement.file, kLargestFile);
  if (now.identity() == judgement.identity) return;
  refuse(judgement, {"P1022", "changed since it was judged", "the file that was judged",
                     "another file or another time of change", "start again"});
}

dll::load_mode::type mode() {
  // Boost names no flag for RTLD_NODELETE; its values are those of dlopen.
  return dll::load_mode::rtld_now | dll::load_mode::rtld_local |
         static_cast<dll::load_mode::type>(RTLD_NODELETE);
}

struct OpenLibrary {
  FileIdentity identity;
  std::filesystem::path file;
  bool registers_operators;
  dll::shared_library handle;
  const mt_plugin_v1* table;
};

// Never destroyed: closing a handle at exit would run code of plugins after their host is gone.
std::deque<OpenLibrary>& open_libraries() {
  static auto& libraries = *new std::deque<OpenLibrary>;
  return libraries;
}

// Whether it has a TORCH_LIBRARY, whose constructor LibTorch calls when the file is loaded.
bool registers_operators(const Judgement& judgement) {
  const auto& needed = judgement.elf->undefined;
  return std::any_of(needed.begin(), needed.end(), [](const ElfSymbol& symbol) {
    return symbol.name.starts_with("_ZN5torch7LibraryC");
  });
}

// LibTorch keeps one table of operators for the process, and the error of the second who registers
// a namespace or an operator names no file.
std::string operators_advice() {
  std::string files;
  for (const OpenLibrary& library : open_libraries())
    if (library.registers_operators) files += (files.empty() ? "" : ", ") + library.file.string();
  if (files.empty())
    return "its TORCH_LIBRARY clashes with what LibTorch has: rename its namespace";
  return "plugins that register operators and were loaded before it: " + files +
         "; if two share a namespace, use one of them, or give one's TORCH_LIBRARY another name";
}

[[noreturn]] void refuse_load(const Judgement& judgement, std::string_view error) {
  refuse(judgement,
         {"P1022", "could not be loaded", "a library that loads",
          std::string(error.substr(0, error.find('\n'))),  // then LibTorch's backtrace
          registers_operators(judgement) ? operators_advice()
                                         : "`mortise plugin inspect` shows what it needs"});
}

const mt_plugin_v1* load(const Judgement& judgement) {
  static constexpr std::string_view kLoad = "load";
  check_unchanged(judgement);
  const kit::CallInProgress call(judgement.file.c_str(), &kLoad);
  OpenLibrary& library = open_libraries().emplace_back(
      OpenLibrary{judgement.identity, judgement.file, registers_operators(judgement),
                  dll::shared_library(judgement.file, mode()), nullptr});
  library.table = library.handle.get<const mt_plugin_v1*()>("mortise_plugin")();
  return library.table;
}

// The table of these bytes, if they are in the process; the file may have been replaced since.
const mt_plugin_v1* loaded_before(const Judgement& judgement) {
  for (const OpenLibrary& library : open_libraries())
    if (library.identity == judgement.identity) return library.table;
  return nullptr;
}

void check_component(const mt_component_v1* component, const ManifestComponent& expected,
                     const std::string& name, const Judgement& judgement) {
  if (component == nullptr || component->head.struct_size < kComponentBytes)
    refuse_table(judgement, name + " is too short",
                 "at least " + std::to_string(kComponentBytes) + " bytes",
                 component == nullptr ? "null" : std::to_string(component->head.struct_size));
  if (component->interface_id == nullptr || component->key == nullptr ||
      component->create == nullptr || component->view == nullptr || component->destroy == nullptr)
    refuse_table(judgement, name + " lacks a member", "id, key, create, view, destroy",
                 "a null pointer among them");
  if (expected.key != component->key || expected.interfaces.front() != component->interface_id)
    refuse_table(judgement, name + " is another component",
                 expected.key + " of " + expected.interfaces.front(),
                 std::string(component->key) + " of " + component->interface_id);
}

void check_manifest_text(const mt_plugin_v1& table, const Judgement& judgement) {
  const std::string& note = judgement.elf->manifest;
  if (table.manifest == nullptr || table.manifest[0] == '\0' ||
      std::strncmp(table.manifest, note.c_str(), note.size() + 1) != 0)
    refuse_table(judgement, "the texts differ", "the manifest in the file's note",
                 table.manifest == nullptr ? "null" : "another text");
}

}  // namespace

void check_table(const mt_plugin_v1* table, const Judgement& judgement) {
  if (table == nullptr) refuse_table(judgement, "there is none", "a table", "null");
  if (table->head.struct_size < kPluginBytes)
    refuse_table(judgement, "it is too short",
                 "at least " + std::to_string(kPluginBytes) + " bytes",
                 std::to_string(table->head.struct_size) + " bytes");
  check_manifest_text(*table, judgement);
  const auto& components = judgement.manifest->components;
  if (table->component_count != components.size() ||
      (table->components == nullptr && !components.empty()))
    refuse_table(judgement, "the number of components", std::to_string(components.size()),
                 std::to_string(table->component_count));
  for (std::size_t i = 0; i < components.size(); ++i)
    check_component(table->components[i], components[i], "component " + std::to_string(i),
                    judgement);
}

const mt_plugin_v1& open_plugin(const Judgement& judgement) {
  if (!judgement.accepted() || !judgement.manifest)
    throw std::logic_error("open_plugin: a plugin that the gate refused");
  const mt_plugin_v1* table = loaded_before(judgement);
  try {
    if (table == nullptr) table = load(judgement);
  } catch (const Failure&) {
    throw;
  } catch (const std::exception& error) {
    refuse_load(judgement, error.what());
  } catch (...) {
    refuse(judgement, {"P1022", "could not be loaded", "a library that loads",
                       "an exception from its entry point", "report it to the plugin's author"});
  }
  check_table(table, judgement);
  return *table;
}

}  // namespace mortise::host
