#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/loading/elf_file.hpp"
#include "host/loading/finding.hpp"
#include "host/loading/host_identity.hpp"
#include "host/loading/manifest.hpp"

namespace mortise::host {

// What the gate found out about one file, without running any of its code.
struct Judgement {
  std::filesystem::path file;  // without links, where it exists
  FileIdentity identity;       // of the bytes that were read
  std::optional<ElfFile> elf;  // none if the file is no intact shared object
  std::optional<Manifest> manifest;
  std::vector<PluginFinding> findings;  // all of them at once, in the order of their ids

  bool accepted() const;
};

// Holds a file against the host:
//   P1001 file and its permissions         P1002 intact shared object for this machine
//   P1003 manifest                         P1010 SDK
//   P1011 drafts of interfaces             P1012 LibTorch
//   P1013 C++ runtime                      P1014 needed libraries
//   P1015 exported symbols                 P1016 undefined symbols
//   P1017 text relocations, executable stack
// Never throws for what the file holds.
Judgement judge(const std::filesystem::path& file, const HostIdentity& host);

// The same from P1002 on, for bytes that are in memory; `file` says where libraries beside it lie.
Judgement judge_bytes(const ByteSource& bytes, const std::filesystem::path& file,
                      const HostIdentity& host);

}  // namespace mortise::host
