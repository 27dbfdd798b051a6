// P1010 to P1012: what the plugin was built against.

#include <algorithm>

#include "host/loading/gate/checks.hpp"

namespace mortise::host {
namespace {

std::string host_sdk(const HostIdentity& host) {
  return std::to_string(host.sdk_major) + "." + std::to_string(host.sdk_minor);
}

// Each slot has 8 digits; a longer table only appended some.
bool agree(const std::string& one, const std::string& other) {
  const std::size_t common = std::min(one.size(), other.size());
  return one.compare(0, common, other, 0, common) == 0;
}

std::size_t first_difference(const std::string& one, const std::string& other) {
  const auto ends = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return static_cast<std::size_t>(ends.first - one.begin()) / 8;
}

void check_accelerator(const Examined& examined) {
  const std::string& plugin = examined.manifest->accelerator;
  const std::string& host = examined.host.accelerator;
  if (plugin == "none" || host == "none" || plugin == host) return;
  examined.findings.push_back({"P1012", "built for " + plugin, "none or " + host, plugin,
                               "rebuild against the host's LibTorch for " + host});
}

}  // namespace

void check_sdk(const Examined& examined) {
  if (examined.manifest == nullptr) return;
  const Manifest& manifest = *examined.manifest;
  const HostIdentity& host = examined.host;
  if (manifest.sdk_major == host.sdk_major) return;
  const std::string major = std::to_string(host.sdk_major);
  examined.findings.push_back(
      {"P1010", "built for SDK " + manifest.sdk + ", this host provides " + host_sdk(host),
       "SDK " + major + ".x: the major version must be that of the host", "SDK " + manifest.sdk,
       "rebuild with SDK " + host_sdk(host) + " or use a host of SDK " +
           std::to_string(manifest.sdk_major) + ".x"});
}

void check_tables(const Examined& examined) {
  if (examined.manifest == nullptr) return;
  for (const auto& [id, fingerprint] : examined.manifest->tables) {
    const auto known = examined.host.tables.find(id);
    if (known == examined.host.tables.end() || agree(fingerprint, known->second)) continue;
    const std::size_t slot = first_difference(fingerprint, known->second);
    examined.findings.push_back(
        {"P1011",
         "built against another draft of " + id + ": method " + std::to_string(slot + 1) +
             " differs",
         "fingerprint " + known->second, fingerprint,
         "rebuild with SDK " + host_sdk(examined.host) + ", the one of this host"});
  }
}

void check_torch(const Examined& examined) {
  if (examined.manifest == nullptr || examined.manifest->torch.empty()) return;
  const std::string& plugin = examined.manifest->torch;
  const std::string& host = examined.host.torch;
  if (host.empty()) {
    examined.findings.push_back({"P1012", "built for LibTorch " + plugin, "no LibTorch",
                                 "LibTorch " + plugin, "use a host that runs LibTorch"});
    return;
  }
  const std::string series = torch_series(host);
  if (torch_series(plugin) == series) return check_accelerator(examined);
  examined.findings.push_back(
      {"P1012", "built for LibTorch " + plugin + ", host runs " + host,
       "LibTorch " + series + ".x: plugins that pass tensors fit one series", "LibTorch " + plugin,
       "rebuild against LibTorch " + series});
}

}  // namespace mortise::host
