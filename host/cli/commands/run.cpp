#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

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

Trains what FILE says, or goes on where the run of that name stopped. Under torchrun, srun and
mpirun it is one rank; otherwise it starts its own with -n. Ctrl-C saves; a second one stops at once.

examples:
  mortise run run.yaml -n 2
  mortise run run.yaml -n 2 --new
  mortise run run.yaml -n 2 --max-restarts 3
  mortise run run.yaml --resume 200 --accept run.seed
  mortise run run.yaml --dry-run --ranks 1024
  mortise run run.yaml --set run.steps=100 --set run.name=short
  torchrun --nproc-per-node 2 --no-python mortise run run.yaml)";

std::string quoted(const std::string& word) {
  const bool plain = word.find_first_of(" \t'\"$`\\*?[]{}()<>|&;#~!") == std::string::npos;
  if (plain && !word.empty()) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// The arguments without what is meant for one start alone: of `with_value` also the next word.
Arguments without(const Arguments& arguments, const std::set<std::string>& with_value,
                  const std::set<std::string>& alone) {
  Arguments rest;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (with_value.count(word) != 0) {
      if (++i == arguments.size()) break;
    } else if (alone.count(word) == 0 && with_value.count(word.substr(0, word.find('='))) == 0) {
      rest.push_back(word);
    }
  }
  return rest;
}

// The command as typed, to go on with later.
std::string command_to_repeat(const Arguments& arguments) {
  std::string text = "mortise run";
  for (const std::string& word : without(arguments, {"--resume", "--accept"}, {"--new"}))
    text += " " + quoted(word);
  return text;
}

void clear_up(const LocalOutcome& outcome) {
  if (outcome.cut_short && !outcome.run_folder.empty())
    remove_leftovers(RunFolder(outcome.run_folder).checkpoints(), [](const std::string&) {});
}

// Of a run that has begun: where it starts anew, or from another step, it has done so.
Arguments to_go_on(const Arguments& arguments, const LocalOutcome& outcome) {
  if (!outcome.trains) return arguments;
  Arguments again = without(arguments, {"--resume"}, {"--new"});
  const bool anew = std::find(arguments.begin(), arguments.end(), "--new") != arguments.end();
  if (!anew) return again;
  const std::string name = std::filesystem::path(outcome.run_folder).filename().string();
  again.insert(again.end(), {"--set", "run.name=" + name});
  return again;
}

int run_with_restarts(int ranks, Arguments arguments, int most) {
  for (int restarts = 0;; ++restarts) {
    Arguments words{"mortise", "run"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const LocalOutcome outcome = run_local_ranks(ranks, words);
    clear_up(outcome);
    if (outcome.exit != int(Exit::ranks) || outcome.asked_to_stop || most == 0) return outcome.exit;
    if (restarts == most) {
      std::cerr << "not started again: " << most << (most == 1 ? " restart is" : " restarts are")
                << " used up (--max-restarts)\n";
      return outcome.exit;
    }
    std::cerr << "restart " << restarts + 1 << " of " << most
              << ": the ranks are started again, from the last complete checkpoint\n";
    arguments = to_go_on(arguments, outcome);
  }
}

int most_restarts(const Options& options) {
  if (!options.has("max-restarts")) return 0;
  const std::string text = options.text("max-restarts");
  char* end = nullptr;
  const long n = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || n < 0 || n > 1000)
    throw Failure("C0902", Exit::configuration,
                  "error[C0902]: --max-restarts " + text + ": expected a number from 0 to 1000");
  const bool has_starter = std::getenv("MORTISE_STORE_IS_ELSEWHERE") != nullptr;
  if (rank_environment().launched() && !has_starter)
    throw Failure("C0905", Exit::configuration,
                  "error[C0905]: mortise run: --max-restarts is for ranks that -n starts; these "
                  "were started by a launcher, which restarts them itself (torchrun "
                  "--max-restarts N)");
  return int(n);
}

}  // namespace

int run_command(const Arguments& arguments) {
  Options options("mortise run", kUsage);
  options.visible().add_options()("file", po::value<std::string>(), "the run file")(
      "ranks,n", po::value<std::string>(), "local ranks to start (default 1)")(
      "max-restarts", po::value<std::string>(),
      "start the ranks again, at most so often, when one is lost (default 0)")(
      "set", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE: a setting, over the file's")(
      "plugin", po::value<std::vector<std::string>>()->composing(), "a plugin file")(
      "resume", po::value<std::string>(),
      "go on from here: latest, a step, or a checkpoint's path (default: latest, where there is "
      "one)")("new", "start another run, named NAME-2, where there is one of this name")(
      "accept", po::value<std::vector<std::string>>()->composing(),
      "KEY: go on although this setting is not what it was")(
      "dry-run", "train nothing: tell what each of --ranks ranks would need and send")(
      "json", "with --dry-run: for programs");
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
  if (options.has("dry-run")) {
    std::cout << told(dry_run(run, ranks_of(options, kMostRehearsed)), options.has("json"));
    return 0;
  }
  const int ranks = ranks_of(options), restarts = most_restarts(options);
  refuse_batch_script(command_to_repeat(without(arguments, {"-n", "--ranks"}, {})),
                      options.has("ranks"));
  if (rank_environment().launched() || (ranks == 1 && restarts == 0)) return int(run_rank(run));
  check_before_start(run, ranks);
  return run_with_restarts(ranks, arguments, restarts);
}

}  // namespace mortise::host
