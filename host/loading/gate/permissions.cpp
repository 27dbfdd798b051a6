// P1001: who could change a plugin between the judgement and a run.

#include <sys/stat.h>

#include "host/loading/gate/checks.hpp"

namespace mortise::host {
namespace {

std::string octal(mode_t mode) {
  std::string text = "mode 0";
  for (int shift = 6; shift >= 0; shift -= 3)
    text += static_cast<char>('0' + ((mode >> shift) & 7));
  return text;
}

void check_mode(const std::string& subject, mode_t mode, const std::filesystem::path& path,
                TrustPolicy policy, std::vector<PluginFinding>& findings) {
  if ((mode & (S_IWGRP | S_IWOTH)) == 0) return;
  findings.push_back({"P1001", subject + " is writable by others",
                      "only its owner may write " + path.string(), octal(mode),
                      "chmod go-w " + path.string(),
                      policy == TrustPolicy::warn ? PluginFinding::Weight::warning
                                                  : PluginFinding::Weight::refusal});
}

}  // namespace

void check_permissions(const std::filesystem::path& file, mode_t mode, TrustPolicy policy,
                       std::vector<PluginFinding>& findings) {
  if (policy == TrustPolicy::off) return;
  check_mode("file", mode, file, policy, findings);
  const std::filesystem::path folder = file.parent_path();
  struct stat status {};
  if (::stat(folder.c_str(), &status) == 0)
    check_mode("folder", status.st_mode, folder, policy, findings);
}

}  // namespace mortise::host
