#include "host/cli/installation.hpp"

#include <cstdlib>

namespace mortise::host {

Installation Installation::of_this_process() {
  return {std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path()};
}

std::string Installation::site() const {
  if (const char* named = std::getenv("MORTISE_SITE"); named != nullptr && *named != '\0')
    return named;
  const std::filesystem::path file = prefix / "etc/mortise/site.yaml";
  return std::filesystem::exists(file) ? file.string() : "";
}

}  // namespace mortise::host
