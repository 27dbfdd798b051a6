// P1013: the C++ runtime and C library that the plugin expects.

#include <algorithm>
#include <map>
#include <set>

#include "host/loading/gate/checks.hpp"

namespace mortise::host {
namespace {

using Versions = std::set<std::string>;

std::vector<std::uint64_t> numbers_in(const std::string& text) {
  std::vector<std::uint64_t> numbers;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_number) numbers.push_back(0);
    if (digit) numbers.back() = numbers.back() * 10 + static_cast<std::uint64_t>(c - '0');
    in_number = digit;
  }
  return numbers;
}

std::string family_of(const std::string& version) {
  return version.substr(0, version.rfind('_') + 1);
}

// The highest of the family that `like` belongs to: "GLIBC_2.36" for "GLIBC_2.38".
std::string highest(const Versions& versions, const std::string& like) {
  std::string best;
  for (const std::string& version : versions)
    if (family_of(version) == family_of(like) &&
        (best.empty() || numbers_in(best) < numbers_in(version)))
      best = version;
  return best;
}

const Versions* offered_by(const std::string& library, const Examined& examined,
                           std::map<std::string, Versions>& brought) {
  if (const LoadedLibrary* loaded = examined.host.loaded(library)) return &loaded->versions;
  for (const BroughtLibrary& found : examined.libraries.brought)
    if (found.name == library)
      return &(brought[library] = Versions(found.elf.version_definitions.begin(),
                                           found.elf.version_definitions.end()));
  return nullptr;
}

// library -> versions that it does not offer
std::map<std::string, Versions> missing_versions(const Examined& examined,
                                                 std::map<std::string, Versions>& brought) {
  std::map<std::string, Versions> missing;
  for (const VersionNeed& need : examined.elf.version_needs) {
    const Versions* offered = offered_by(need.library, examined, brought);
    if (offered == nullptr || offered->empty()) continue;  // P1014, or a library without versions
    if (offered->count(need.version) == 0) missing[need.library].insert(need.version);
  }
  return missing;
}

void check_versions(const Examined& examined) {
  std::map<std::string, Versions> brought;
  for (const auto& [library, versions] : missing_versions(examined, brought)) {
    const std::string needed = highest(versions, *versions.rbegin());
    const std::string offered = highest(*offered_by(library, examined, brought), needed);
    const std::string best = offered.empty() ? "none of " + family_of(needed) + "*" : offered;
    examined.findings.push_back(
        {"P1013", "needs " + needed + " of " + library + ", this system offers " + best,
         "at most " + best, needed,
         "build on the system that you run on or an older one, such as "
         "the baseline image"});
  }
}

void check_abi_flag(const Examined& examined) {
  if (examined.manifest == nullptr || examined.manifest->cxx11_abi) return;
  examined.findings.push_back({"P1013", "built with the old C++ ABI of strings",
                               "_GLIBCXX_USE_CXX11_ABI=1, as the host and its LibTorch",
                               "_GLIBCXX_USE_CXX11_ABI=0",
                               "rebuild without -D_GLIBCXX_USE_CXX11_ABI=0"});
}

}  // namespace

void check_cxx_runtime(const Examined& examined) {
  check_abi_flag(examined);
  for (const std::string& name : examined.elf.needed)
    if (name.starts_with("libc++.so") || name.starts_with("libc++abi.so"))
      examined.findings.push_back({"P1013", "built with another C++ runtime", "libstdc++.so.6",
                                   name, "rebuild with -stdlib=libstdc++"});
  check_versions(examined);
}

}  // namespace mortise::host
