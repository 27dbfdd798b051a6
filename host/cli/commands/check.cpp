#include <iostream>

#include "host/cli/options.hpp"
#include "host/cli/rank_main.hpp"
#include "host/cli/session.hpp"
#include "host/failure.hpp"

namespace mortise::host {
namespace {

namespace po = boost::program_options;

// Options that every command with a run file has.
void add_file_options(Options& options) {
  options.visible().add_options()("file", po::value<std::string>(), "the run file")(
      "set", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE: a setting, over the file's")(
      "plugin", po::value<std::vector<std::string>>()->composing(), "a plugin file");
  options.positional("file", 1);
}

void require_file(const Options& options, const std::string& command) {
  if (!options.has("file"))
    throw Failure("C0903", Exit::configuration,
                  "error[C0903]: " + command + ": which file? see " + command + " --help");
}

}  // namespace

int check_command(const Arguments& arguments) {
  Options options("mortise check", R"(usage: mortise check FILE [options]

Reads FILE, judges and loads its plugins, opens the data and builds the model, and says what a run
would do. Nothing is written into a run folder.

example:
  mortise check run.yaml --set batch.sequences=64)");
  add_file_options(options);
  if (!options.parse(arguments)) return 0;
  require_file(options, "mortise check");
  RunArguments run;
  run.file = options.text("file");
  run.sets = options.texts("set");
  run.plugins = options.texts("plugin");
  for (const std::string& line : check_run(run)) std::cout << line << "\n";
  std::cout << "ok\n";
  return 0;
}

int config_command(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] != "show") {
    const bool help = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h");
    if (!help)
      throw Failure("C0904", Exit::configuration,
                    "error[C0904]: mortise config: expected `show`; try mortise config show FILE");
  }
  Options options("mortise config show", R"(usage: mortise config show FILE [options]

Prints the whole configuration of a run with the origin of every value.

example:
  mortise config show run.yaml)");
  add_file_options(options);
  if (!options.parse(
          arguments.empty()
              ? arguments
              : Arguments(arguments.begin() + (arguments[0] == "show" ? 1 : 0), arguments.end())))
    return 0;
  require_file(options, "mortise config show");
  const Session session(options.texts("plugin"),
                        request_for(options.text("file"), options.texts("set")));
  std::cout << session.load().resolved_yaml;
  return 0;
}

}  // namespace mortise::host
