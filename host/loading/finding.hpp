#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mortise::host {

// One reason why a plugin cannot be used, or may be wrong.
struct PluginFinding {
  enum class Weight { refusal, warning };

  std::string id;  // "P1012"
  std::string what, expected, got, advice;
  Weight weight = Weight::refusal;
};

// /x.so: error[P1012]: built for LibTorch 2.12.0
//   expected: LibTorch 2.11
//   got:      LibTorch 2.12.0
//   do:       rebuild ...
std::string describe(const std::filesystem::path& file, const PluginFinding& finding);
std::string describe(const std::filesystem::path& file, const std::vector<PluginFinding>& findings);

// "P1012: built for LibTorch 2.12.0 (expected LibTorch 2.11, got LibTorch 2.12.0): rebuild ..."
std::string in_one_line(const PluginFinding& finding);

// A path between backquotes, with control characters made visible.
std::string quoted_path(const std::filesystem::path& path);

}  // namespace mortise::host
