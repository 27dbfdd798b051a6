#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/failure.hpp"
#include "host/rehearsal/dry_run.hpp"
#include "host/training/replay.hpp"

namespace mortise::host {

// `mortise run FILE` as the user typed it.
struct RunArguments {
  std::string file;
  std::vector<std::string> sets, plugins;
  std::optional<std::string> resume;
  std::vector<std::string> accept;
  bool anew = false;           // --new
  std::string plugin_options;  // " --plugin FILE" for each
  std::string command;         // to type again, without --resume, --accept and --new
};

// One rank of a run: checks, agreement with the others, wiring, training. A failure that another
// rank has told already is thrown with an empty message.
Exit run_rank(const RunArguments& arguments);

// One rank that repeats a step of a run, whose settings `arguments.file` holds; the first one
// prints what it has found.
Exit replay_rank(const RunArguments& arguments, const ReplayRequest& request);

// What is wrong with the file itself, or with its mesh on that many ranks: for a starter, so that
// it is told once. Throws Failure.
void check_before_start(const RunArguments& arguments, std::int64_t ranks);

// What a run on that many ranks would need and do, found in this process. Throws Failure as a start
// would.
DryRun dry_run(const RunArguments& arguments, std::int64_t ranks);

// Everything that can be known before a run, in one process: settings, plugins, data, model.
// Returns lines that say what would run.
std::vector<std::string> check_run(const RunArguments& arguments);

}  // namespace mortise::host
