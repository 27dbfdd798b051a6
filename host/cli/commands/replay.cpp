#include <iostream>

#include "host/checkpoint/checkpoint_folder.hpp"
#include "host/checkpoint/checkpoint_index.hpp"
#include "host/checkpoint/checkpoint_reader.hpp"
#include "host/checkpoint/files/storage_failure.hpp"
#include "host/cli/options.hpp"
#include "host/cli/rank_main.hpp"
#include "host/cli/temporary_file.hpp"
#include "host/distributed/rank_starter.hpp"
#include "host/distributed/rendezvous.hpp"
#include "host/failure.hpp"
#include "host/training/run_history.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr const char* kUsage = R"(usage: mortise replay RUN --step N [options]

Repeats step N of a run exactly, from the last complete checkpoint before it, and names the first
unit and parameter that are not finite, with the text of the batch. Writes nothing.

example:
  mortise replay runs/shakespeare --step 240)";

std::int64_t step_of(const Options& options) {
  const std::string text = options.text("step");
  char* end = nullptr;
  const long long step = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || step < 1)
    throw Failure(
        "C0906", Exit::configuration,
        "error[C0906]: mortise replay: --step " + text + ": expected the number of a step, from 1");
  return step;
}

// Where a step is repeated from: the checkpoint and the settings under which the run went on there.
struct Source {
  fs::path checkpoint;
  std::int64_t ranks = 1;
  std::string config;
};

Source source_of(const RunFolder& folder, std::int64_t step) {
  const CheckpointFolder found(folder.checkpoints(),
                               [](const std::string& text) { std::cerr << text << "\n"; });
  Source source;
  std::int64_t from = 0;
  for (const FoundCheckpoint& c : found.complete()) {
    source.ranks = read_index(c.folder).ranks;
    if (c.step >= step) break;
    source.checkpoint = c.folder;
    from = c.step;
  }
  const RunHistory history(folder);
  source.config = history.config_after(from);
  if (source.config.empty() && !source.checkpoint.empty())
    source.config = read_state(source.checkpoint).value("config", std::string());
  if (source.config.empty()) source.config = history.first_config();
  return source;
}

}  // namespace

int replay_command(const Arguments& arguments) {
  Options options("mortise replay", kUsage);
  options.visible().add_options()("run", po::value<std::string>(), "the run's folder")(
      "step", po::value<std::string>(), "the step, as the metrics count")(
      "ranks,n", po::value<std::string>(),
      "local ranks (default: as many as saved the checkpoint)")(
      "plugin", po::value<std::vector<std::string>>()->composing(), "a plugin file")(
      "json", "one JSON object");
  options.positional("run", 1);
  if (!options.parse(arguments)) return 0;
  if (!options.has("run"))
    throw Failure("C0903", Exit::configuration,
                  "error[C0903]: mortise replay: which run? see mortise replay --help");
  const std::int64_t step = step_of(options);
  fs::path path = options.text("run");
  if (!path.has_filename()) path = path.parent_path();  // "runs/NAME/"
  const RunFolder run(path);
  if (!fs::is_regular_file(run.config()))
    throw storage_failure(storage::not_found, path, "there is no such run",
                          "give the folder of a run, runs/NAME");
  const Source source = source_of(run, step);
  const int ranks = options.has("ranks") ? ranks_of(options) : int(source.ranks);
  if (!rank_environment().launched() && ranks > 1) {
    std::vector<std::string> again{"mortise", "replay"};
    again.insert(again.end(), arguments.begin(), arguments.end());
    return run_local_ranks(ranks, again).exit;
  }
  const TemporaryFile config(source.config);
  RunArguments as;
  as.file = config.path();
  as.plugins = options.texts("plugin");
  as.sets = {"run.name=" + fs::absolute(run.path()).filename().string()};
  return int(replay_rank(as, {step, run.path(), source.checkpoint, options.has("json")}));
}

}  // namespace mortise::host
