#include <cstdlib>
#include <iostream>
#include <thread>

#include "host/checkpoint/partial_folder.hpp"
#include "host/cli/options.hpp"
#include "host/cli/rank_main.hpp"
#include "host/distributed/rank_starter.hpp"
#include "host/distributed/rendezvous.hpp"
#include "host/failure.hpp"
#include "host/training/run_folder.hpp"

namespace mortise::host {
namespace {

namespace po = boost::program_options;

constexpr const char* kUsage = R"(usage: mortise run FILE [options]

Trains what FILE says, or goes on where the run of that name stopped. Under torchrun it is one rank;
otherwise it starts its own with -n. Ctrl-C saves; a second one stops at once.

examples:
  mortise run run.yaml -n 2
  mortise run run.yaml -n 2 --new
  mortise run run.yaml --resume 200 --accept run.seed
  mortise run run.yaml --set run.steps=100 --set run.name=short
  torchrun --nproc-per-node 2 --no-python mortise run run.yaml)";

std::string quoted(const std::string& word) {
  const bool plain = word.find_first_of(" \t'\"$`\\*?[]{}()<>|&;#~!") == std::string::npos;
  if (plain && !word.empty()) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// The command as typed, without what is meant for one start alone.
std::string command_to_repeat(const Arguments& arguments) {
  std::string text = "mortise run";
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--resume" || word == "--accept") {
      if (++i == arguments.size()) break;
    } else if (word != "--new" && !word.starts_with("--resume=") &&
               !word.starts_with("--accept=")) {
      text += " " + quoted(word);
    }
  }
  return text;
}

}  // namespace

int run_command(const Arguments& arguments) {
  Options options("mortise run", kUsage);
  options.visible().add_options()("file", po::value<std::string>(), "the run file")(
      "ranks,n", po::value<std::string>(), "local ranks to start (default 1)")(
      "set", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE: a setting, over the file's")(
      "plugin", po::value<std::vector<std::string>>()->composing(), "a plugin file")(
      "resume", po::value<std::string>(),
      "go on from here: latest, a step, or a checkpoint's path (default: latest, where there is "
      "one)")("new", "start another run, named NAME-2, where there is one of this name")(
      "accept", po::value<std::vector<std::string>>()->composing(),
      "KEY: go on although this setting is not what it was");
  options.positional("file", 1);
  if (!options.parse(arguments)) return 0;
  if (!options.has("file"))
    throw Failure("C0903", Exit::configuration,
                  "error[C0903]: mortise run: which file? see mortise run --help");
  RunArguments run;
  run.file = options.text("file");
  run.sets = options.texts("set");
  run.plugins = options.texts("plugin");
  run.accept = options.texts("accept");
  run.anew = options.has("new");
  run.command = command_to_repeat(arguments);
  for (const std::string& file : run.plugins) run.plugin_options += " --plugin " + quoted(file);
  if (options.has("resume")) run.resume = options.text("resume");
  if (run.anew && run.resume)
    throw Failure("C0905", Exit::configuration,
                  "error[C0905]: mortise run: --new starts another run and --resume goes on with "
                  "one: give one of them");
  const int ranks = ranks_of(options);
  if (rank_environment().launched() || ranks == 1) return int(run_rank(run));
  check_before_start(run, ranks);
  std::vector<std::string> again{"mortise", "run"};
  again.insert(again.end(), arguments.begin(), arguments.end());
  const LocalOutcome outcome = run_local_ranks(ranks, again);
  if (!outcome.cut_short.empty())
    remove_leftovers(RunFolder(outcome.cut_short).checkpoints(), [](const std::string&) {});
  return outcome.exit;
}

}  // namespace mortise::host
