#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "host/loading/elf_file.hpp"
#include "host/loading/finding.hpp"
#include "host/loading/gate/library_closure.hpp"
#include "host/loading/host_identity.hpp"
#include "host/loading/manifest.hpp"

namespace mortise::host {

// What every check looks at, and where it puts what it finds.
struct Examined {
  const std::filesystem::path& file;
  const ElfFile& elf;
  const Manifest* manifest;  // null if it could not be read
  const HostIdentity& host;
  const LibraryClosure& libraries;
  std::vector<PluginFinding>& findings;
};

// P1001
void check_permissions(const std::filesystem::path& file, mode_t mode, TrustPolicy policy,
                       std::vector<PluginFinding>& findings);

void check_sdk(const Examined& examined);               // P1010
void check_tables(const Examined& examined);            // P1011
void check_torch(const Examined& examined);             // P1012
void check_cxx_runtime(const Examined& examined);       // P1013
void check_needed_libraries(const Examined& examined);  // P1014
void check_exports(const Examined& examined);           // P1015
void check_undefined(const Examined& examined);         // P1016
void check_hardening(const Examined& examined);         // P1017

}  // namespace mortise::host
