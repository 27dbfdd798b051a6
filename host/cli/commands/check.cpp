#include <iostream>

#include "host/cli/options.hpp"
#include "host/cli/rank_main.hpp"
#include "host/failure.hpp"

namespace mortise::host {
namespace {

namespace po = boost::program_options;
}

int check_command(const Arguments& arguments) {
  Options options("mortise check", R"(usage: mortise check FILE [options]

Reads FILE, judges and loads its plugins, opens the data and builds the model, and says what a run
would do. Nothing is written into a run folder. With --ranks it tells what each rank would need and
send, in this one process.

examples:
  mortise check run.yaml --set batch.sequences=64
  mortise check run.yaml --ranks 1024)");
  options.visible().add_options()("file", po::value<std::string>(), "the run file")(
      "set", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE: a setting, over the file's")("ranks,n", po::value<std::string>(),
                                                "how many ranks the run would have")(
      "json", "with --ranks: for programs")(
      "plugin", po::value<std::vector<std::string>>()->composing(), "a plugin file");
  options.positional("file", 1);
  if (!options.parse(arguments)) return 0;
  if (!options.has("file"))
    throw Failure("C0903", Exit::configuration,
                  "error[C0903]: mortise check: which file? see mortise check --help");
  RunArguments run;
  run.file = options.text("file");
  run.sets = options.texts("set");
  run.plugins = options.texts("plugin");
  if (options.has("ranks")) {
    std::cout << told(dry_run(run, ranks_of(options, kMostRehearsed)), options.has("json"));
    return 0;
  }
  for (const std::string& line : check_run(run)) std::cout << line << "\n";
  std::cout << "ok\n";
  return 0;
}

}  // namespace mortise::host
