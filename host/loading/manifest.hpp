#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::host {

struct ManifestComponent {
  std::vector<std::string> interfaces;  // the first is the main one
  std::string key, doc;
  std::string settings;  // its JSON schema, as written
};

// What a plugin says about itself without being loaded.
struct Manifest {
  std::string id, version;
  std::string sdk;
  int sdk_major = 0, sdk_minor = 0;
  std::string torch;  // "" for torch-free plugins
  std::string accelerator = "none";
  std::string compiler, license;
  bool cxx11_abi = true;
  std::map<std::string, std::string> tables;  // interface id -> fingerprint, 8 digits per slot
  std::vector<ManifestComponent> components;
};

// Throws FileFault, whose text begins with the place inside the manifest. Members that this host
// does not know are passed over: a newer SDK may write more.
Manifest parse_manifest(std::string_view text);

// "2.11.0+cpu" -> "2.11"; LibTorch keeps its ABI within a series only.
std::string torch_series(const std::string& version);

// Whether `text` can be a plugin's id or a component's key: letters, digits, '.', '_' and '-'.
bool is_plugin_name(std::string_view text);

}  // namespace mortise::host
