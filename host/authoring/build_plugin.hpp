#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mortise::host {

// A project with find_package(Mortise), to be built against this installation.
struct PluginBuild {
  std::filesystem::path project;
  std::filesystem::path package;   // the folder of MortiseConfig.cmake
  std::filesystem::path libtorch;  // a torch folder with headers; "" where the project has to look
  std::vector<std::string> definitions;  // KEY=VALUE for CMake
};

// Configures and builds it in PROJECT/build and returns the plugin files there. `tell` takes a line
// before each step.
// Throws Failure: P2010 where it does not configure or compile, with the tool's output and the
// commands to run by hand; P2011 where the SDK, CMake or a compiler is missing.
std::vector<std::filesystem::path> build_plugin(const PluginBuild& build,
                                                void (*tell)(const std::string& line));

}  // namespace mortise::host
