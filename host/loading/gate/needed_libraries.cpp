// P1014: each needed library is found, and none brings a second LibTorch or C++ runtime.

#include <algorithm>

#include "host/loading/gate/checks.hpp"

namespace mortise::host {
namespace {

bool is_torch(const std::string& name) {
  return name.starts_with("libtorch") || name.starts_with("libc10");
}

bool is_cuda_part(const std::string& name) {
  return name.starts_with("libtorch_cuda") || name.starts_with("libc10_cuda") ||
         name.starts_with("libcudart");
}

bool is_runtime(const std::string& name) {
  return name.starts_with("libstdc++") || name.starts_with("libgomp");
}

std::string through(const std::string& needer) {
  return needer.empty() ? "" : " (through " + needer + ")";
}

bool is_of_the_system(const BroughtLibrary& library, const HostIdentity& host) {
  const auto& folders = host.system_folders;
  return std::find(folders.begin(), folders.end(), library.file.parent_path()) != folders.end();
}

void check_private_copies(const Examined& examined) {
  for (const BroughtLibrary& library : examined.libraries.brought) {
    const bool torch =
        is_torch(library.name) && !(examined.host.device_cuda && is_cuda_part(library.name));
    const bool runtime = is_runtime(library.name) && !is_of_the_system(library, examined.host);
    if (!torch && !runtime) continue;
    examined.findings.push_back(
        {"P1014", "brings its own " + library.name + through(library.needed_by),
         "the one that the host has loaded", library.file.string(),
         torch ? "link mortise::sdk_torch (torch_cpu and c10) and no other LibTorch"
               : "link the system's " + library.name + " and leave the copy out"});
  }
}

bool is_beside(const std::string& name, const Examined& examined) {
  std::error_code ignored;
  return std::filesystem::exists(examined.file.parent_path() / name, ignored);
}

PluginFinding missing_finding(const MissingLibrary& library, const Examined& examined) {
  const std::string& name = library.name;
  const std::string subject = "needs " + name + through(library.needed_by);
  if (name.find('/') != std::string::npos)
    return {"P1014", subject + " by its path", "a name without folders", name,
            "give the library a SONAME (-Wl,-soname) and link again"};
  if (is_cuda_part(name))
    return {"P1014", subject + ", which this host has not loaded",
            "libraries that a run without CUDA has", name,
            "run with `device: cuda`, or use a build of the plugin without CUDA"};
  if (name == "libtorch_cpu.so" || name == "libc10.so")
    return {"P1014", subject + ", which this host has not loaded", "a host that runs LibTorch",
            "a host without it", "judge and run the plugin with a host that runs LibTorch"};
  if (is_torch(name))
    return {"P1014", subject + ", which this host has not loaded", "torch_cpu and c10", name,
            "link mortise::sdk_torch and no other LibTorch"};
  const std::string place = examined.file.parent_path().string();
  if (is_beside(name, examined))
    return {
        "P1014", subject + ", which lies beside the plugin but is not looked for there",
        "a RUNPATH of $ORIGIN in " + (library.needed_by.empty() ? "the plugin" : library.needed_by),
        library.remark.empty() ? "no such RUNPATH" : library.remark,
        "link with -Wl,-rpath,'$ORIGIN', or patchelf --set-rpath '$ORIGIN'"};
  return {"P1014", subject + ", not found beside the plugin or in the system",
          name + " in " + place + " or a system folder",
          library.remark.empty() ? "no such file" : library.remark,
          "put " + name + " into " + place + ", or install the package that has it"};
}

// Folders of the machine that built the plugin, or of wherever a run is started from.
void check_runpath(const Examined& examined) {
  const auto& runpath = examined.elf.runpath;
  if (runpath.empty()) return;
  if (!begins_with_origin(runpath.front()))
    examined.findings.push_back({"P1014", "looks for libraries in a fixed folder first",
                                 "a RUNPATH that starts with $ORIGIN", "`" + runpath.front() + "`",
                                 "build with mortise_add_plugin(), or patchelf --set-rpath "
                                 "'$ORIGIN'"});
  for (std::size_t i = 1; i < runpath.size(); ++i)
    if (!begins_with_origin(runpath[i]) && !runpath[i].starts_with('/'))
      examined.findings.push_back({"P1014", "looks for libraries in the working folder",
                                   "absolute folders and $ORIGIN in RUNPATH",
                                   "`" + runpath[i] + "`", "patchelf --set-rpath '$ORIGIN'"});
}

bool defines_cxx_runtime(const ElfFile& elf) {
  return std::any_of(elf.exports.begin(), elf.exports.end(), [](const ElfSymbol& symbol) {
    return symbol.name == "__cxa_throw" || symbol.name == "__gxx_personality_v0";
  });
}

}  // namespace

void check_needed_libraries(const Examined& examined) {
  check_private_copies(examined);
  for (const MissingLibrary& library : examined.libraries.missing)
    examined.findings.push_back(missing_finding(library, examined));
  check_runpath(examined);
  if (examined.elf.carries_cxx_runtime || defines_cxx_runtime(examined.elf))
    examined.findings.push_back({"P1014", "carries its own C++ runtime: libstdc++ is linked in",
                                 "libstdc++.so.6 among the needed libraries", "a static libstdc++",
                                 "link without -static-libstdc++"});
}

}  // namespace mortise::host
