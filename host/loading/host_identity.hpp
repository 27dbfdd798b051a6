#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mortise::host {

// How strict the operator is about who may change plugin files.
enum class TrustPolicy { off, warn, require };

// A library that the process has loaded.
struct LoadedLibrary {
  std::string name;  // its SONAME, else the name of its file
  std::filesystem::path file;
  std::set<std::string> versions;  // of symbols, such as GLIBCXX_3.4.30
};

// What a plugin is held against. Made once and passed along; tests make their own.
struct HostIdentity {
  int sdk_major = 0, sdk_minor = 2;
  std::string torch;                 // version of the LibTorch that the host runs, "" without one
  std::string accelerator = "none";  // or "cuda-13"
  bool device_cuda = false;          // the run's `device: cuda`: its libraries count as loaded
  std::map<std::string, std::string> tables;  // interface id -> fingerprint
  TrustPolicy policy = TrustPolicy::off;

  std::vector<LoadedLibrary> libraries;
  std::function<bool(const std::string& symbol)> resolves;  // in the process, for any library
  std::vector<std::filesystem::path> system_folders;        // where the dynamic linker looks

  const LoadedLibrary* loaded(const std::string& name) const;
};

// The parts that the process itself knows: loaded libraries, symbols, folders of the dynamic
// linker. The caller adds SDK, LibTorch and tables.
HostIdentity identity_of_this_process();

}  // namespace mortise::host
