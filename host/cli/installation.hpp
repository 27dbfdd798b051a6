#pragma once

#include <filesystem>
#include <string>

namespace mortise::host {

// Where this program and what belongs to it stand: PREFIX/bin/mortise, PREFIX/lib/mortise/plugins,
// PREFIX/share/mortise. A build folder looks the same.
struct Installation {
  std::filesystem::path prefix;
  static Installation of_this_process();

  std::filesystem::path defaults() const { return prefix / "share/mortise/defaults.yaml"; }
  std::filesystem::path configs() const { return prefix / "share/mortise/configs"; }
  // For authors of plugins: what find_package(Mortise) reads and what `plugin new` copies.
  std::filesystem::path cmake_package() const { return prefix / "lib/cmake/Mortise"; }
  std::filesystem::path templates() const { return prefix / "share/mortise/template"; }
  std::filesystem::path license() const { return prefix / "share/mortise/LICENSE"; }
  // The program that runs a plugin's code for `plugin validate`.
  std::filesystem::path plugin_checker() const { return prefix / "lib/mortise/check_plugin"; }
  // The operator's file, or "" where there is none: MORTISE_SITE, else
  // PREFIX/etc/mortise/site.yaml.
  std::string site() const;
};

}  // namespace mortise::host
