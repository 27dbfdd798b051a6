#include "host/authoring/build_plugin.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <system_error>

#include "host/failure.hpp"
#include "host/process/child.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

using Command = std::vector<std::string>;

[[noreturn]] void refuse(const char* id, const std::string& text, Exit exit = Exit::plugin) {
  throw Failure(id, exit, std::string("error[") + id + "]: mortise plugin build: " + text);
}

bool is_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}
bool is_any_in_path(std::initializer_list<const char*> programs) {
  return std::any_of(programs.begin(), programs.end(), is_in_path);
}

void check_tools() {
  if (!is_in_path("cmake"))
    refuse("P2011", "there is no cmake in PATH\n  do: apt-get install cmake (3.25 or newer)");
  const char* named = std::getenv("CXX");
  if (named != nullptr && *named != '\0') {
    std::string program(named);
    program = program.substr(0, program.find(' '));
    if (is_in_path(program)) return;
    refuse("P2011", "there is no " + program +
                        ", the compiler that CXX names\n"
                        "  do: unset CXX, or install it");
  }
  if (!is_any_in_path({"c++", "g++", "clang++"}))
    refuse("P2011",
           "there is no C++ compiler in PATH (c++, g++, clang++)\n"
           "  do: apt-get install g++ (12 or newer), or set CXX");
  if (!is_any_in_path({"ninja", "make", "gmake"}))
    refuse("P2011", "there is neither ninja nor make in PATH\n  do: apt-get install ninja-build");
}

void check_project(const PluginBuild& build) {
  if (!fs::exists(build.project / "CMakeLists.txt"))
    refuse("P2010", build.project.string() +
                        " has no CMakeLists.txt\n"
                        "  do: name the folder of a project; `mortise plugin new` makes one");
  if (!fs::exists(build.package / "MortiseConfig.cmake"))
    refuse("P2011", "this installation has no SDK: " + build.package.string() +
                        " has no MortiseConfig.cmake\n  do: install Mortise again");
}

// For a shell: in quotes where it needs them.
std::string typed(const Command& command) {
  std::string line;
  for (const std::string& word : command) {
    const bool plain = word.find_first_of(" \t\n'\"$&;|<>()*?[]{}\\`~#!") == std::string::npos;
    std::string shown = word;
    for (std::size_t at = shown.find('\''); !plain && at != std::string::npos;
         at = shown.find('\'', at + 4))
      shown.replace(at, 1, "'\\''");
    line += (line.empty() ? "" : " ") + (plain ? shown : "'" + shown + "'");
  }
  return line;
}

Command configuring(const PluginBuild& build, const fs::path& folder) {
  Command command{"cmake", "-S", build.project.string(), "-B", folder.string()};
  const auto define = [&](const std::string& name, const std::string& value) {
    command.push_back("-D" + name + "=" + value);
  };
  if (!fs::exists(folder / "CMakeCache.txt")) {
    if (is_in_path("ninja")) command.insert(command.end(), {"-G", "Ninja"});
    define("CMAKE_BUILD_TYPE", "RelWithDebInfo");
  }
  define("Mortise_DIR", build.package.string());
  if (!build.libtorch.empty()) define("LIBTORCH_ROOT", build.libtorch.string());
  for (const std::string& definition : build.definitions) command.push_back("-D" + definition);
  return command;
}

// All of a log, or its beginning where it is long: what follows the first errors of a compiler
// comes of them.
std::string beginning_of(const fs::path& log) {
  std::ifstream in(log, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  constexpr std::size_t kMost = 20000;
  std::string all = text.str();
  return all.size() <= kMost ? all : all.substr(0, all.rfind('\n', kMost) + 1) + "…\n";
}

void run_step(const Command& command, const fs::path& log, const std::string& what,
              void (*tell)(const std::string&)) {
  tell("==> " + typed(command));
  fs::remove(log);
  const ChildEnd end = run_child({command, log});
  const std::string said = beginning_of(log);
  if (end.done()) {
    if (said.find("warning: ") != std::string::npos) tell(said);
    return;
  }
  refuse("P2010",
         what + ":\n\n" + said + "\n  do: correct what stands above; by hand: " + typed(command));
}

std::vector<fs::path> plugins_in(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == ".so") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

std::vector<fs::path> build_plugin(const PluginBuild& build, void (*tell)(const std::string&)) {
  check_project(build);
  check_tools();
  const fs::path folder = build.project / "build";
  try {
    fs::create_directories(folder);
    const fs::path log = folder / "plugin_build.log";
    run_step(configuring(build, folder), log, "the project cannot be configured", tell);
    run_step({"cmake", "--build", folder.string()}, log, "the project does not build", tell);
  } catch (const std::system_error& e) {
    throw Failure("K0002", Exit::storage,
                  "error[K0002]: " + folder.string() + " cannot be written: " + e.what());
  }
  std::vector<fs::path> files = plugins_in(folder / "lib/mortise/plugins");
  if (files.empty())
    refuse("P2010",
           "the project builds, but makes no plugin in " +
               (folder / "lib/mortise/plugins").string() +
               "\n  do: give its CMakeLists.txt a line mortise_add_plugin(NAME SOURCES …)");
  return files;
}

}  // namespace mortise::host
