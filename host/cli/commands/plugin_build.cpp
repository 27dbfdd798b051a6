#include <iostream>

#include "host/authoring/build_plugin.hpp"
#include "host/cli/command_line.hpp"
#include "host/cli/installation.hpp"
#include "host/cli/options.hpp"
#include "host/failure.hpp"
#include "host/loading/gate.hpp"
#include "host/loading/manifest.hpp"
#include "host/wiring/host_tables.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

// The torch folder that this process runs with, if it has headers too.
fs::path torch_of_this_process(const HostIdentity& host) {
  const LoadedLibrary* torch = host.loaded("libtorch_cpu.so");
  if (torch == nullptr) return "";
  const fs::path folder = torch->file.parent_path().parent_path();
  return fs::exists(folder / "include/ATen/core/Tensor.h") ? folder : "";
}

// Says what became of one file. Throws Failure (exit plugin) where the gate refuses it.
void report(const fs::path& file, const HostIdentity& host) {
  const Judgement judgement = judge(file, host);
  if (!judgement.accepted())
    throw Failure("P2010", Exit::plugin, describe(judgement.file, judgement.findings));
  const std::string shown = file.lexically_proximate(fs::current_path()).string();
  std::cout << file.string() << ": " << judgement.manifest->id << " " << judgement.manifest->version
            << "\n  mortise run FILE --plugin " << shown << "\n  mortise plugin validate " << shown
            << "\n";
}

}  // namespace

int plugin_build_command(const Arguments& arguments) {
  Options options("mortise plugin build", R"(usage: mortise plugin build [DIR] [-D KEY=VALUE]

Configures and builds a plugin's project with the SDK of this installation, in DIR/build.

example:
  mortise plugin build my_optimizer)");
  options.visible().add_options()("folder", po::value<std::string>()->default_value("."),
                                  "of the project's CMakeLists.txt")(
      "define,D", po::value<std::vector<std::string>>()->composing(), "KEY=VALUE for CMake");
  options.positional("folder", 1);
  if (!options.parse(arguments)) return 0;
  const HostIdentity host = host_identity();
  PluginBuild build;
  build.project = fs::weakly_canonical(options.text("folder"));
  build.package = Installation::of_this_process().cmake_package();
  build.libtorch = torch_of_this_process(host);
  build.definitions = options.texts("define");
  const auto tell = [](const std::string& line) { std::cerr << line << std::endl; };
  for (const fs::path& file : build_plugin(build, tell)) report(file, host);
  return 0;
}

}  // namespace mortise::host
