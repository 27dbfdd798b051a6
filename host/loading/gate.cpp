#include "host/loading/gate.hpp"

#include <algorithm>

#include "host/loading/gate/checks.hpp"

namespace mortise::host {
namespace {

PluginFinding finding_of(std::string id, const FileFault& fault) {
  return {std::move(id), fault.what(), fault.expected(), fault.got(), fault.advice()};
}

std::filesystem::path without_links(const std::filesystem::path& file) {
  std::error_code error;
  const auto canonical = std::filesystem::canonical(file, error);
  return error ? std::filesystem::absolute(file, error).lexically_normal() : canonical;
}

void read_manifest(Judgement& judgement) {
  if (judgement.elf->manifest_fault) {
    judgement.findings.push_back(finding_of("P1003", *judgement.elf->manifest_fault));
    return;
  }
  try {
    judgement.manifest = parse_manifest(judgement.elf->manifest);
  } catch (const FileFault& fault) {
    judgement.findings.push_back(finding_of("P1003", fault));
  }
}

void run_checks(Judgement& judgement, const HostIdentity& host) {
  const LibraryClosure libraries = find_libraries(judgement.file, *judgement.elf, host);
  const Examined examined{
      judgement.file, *judgement.elf, judgement.manifest ? &*judgement.manifest : nullptr,
      host,           libraries,      judgement.findings};
  check_sdk(examined);
  check_tables(examined);
  check_torch(examined);
  check_cxx_runtime(examined);
  check_needed_libraries(examined);
  check_exports(examined);
  check_undefined(examined);
  check_hardening(examined);
}

void judge_contents(const ByteSource& bytes, const HostIdentity& host, Judgement& judgement) {
  try {
    judgement.elf = read_elf(bytes, Depth::plugin);
  } catch (const FileFault& fault) {
    judgement.findings.push_back(finding_of("P1002", fault));
    return;
  }
  read_manifest(judgement);
  run_checks(judgement, host);
}

}  // namespace

bool Judgement::accepted() const {
  return std::none_of(findings.begin(), findings.end(), [](const PluginFinding& finding) {
    return finding.weight == PluginFinding::Weight::refusal;
  });
}

Judgement judge(const std::filesystem::path& file, const HostIdentity& host) {
  Judgement judgement;
  judgement.file = without_links(file);
  try {
    const FileSource source(judgement.file, kLargestFile);
    judgement.identity = source.identity();
    check_permissions(judgement.file, source.mode(), host.policy, judgement.findings);
    judge_contents(source, host, judgement);
  } catch (const FileFault& fault) {
    judgement.findings.push_back(finding_of("P1001", fault));
  }
  return judgement;
}

Judgement judge_bytes(const ByteSource& bytes, const std::filesystem::path& file,
                      const HostIdentity& host) {
  Judgement judgement;
  judgement.file = file;
  judge_contents(bytes, host, judgement);
  return judgement;
}

}  // namespace mortise::host
