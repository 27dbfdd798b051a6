#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/end_to_end/program.hpp"

namespace mortise::tests {

using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

// An empty folder with a text and the run file tiny.yaml, in which `mortise` is started. It goes
// with the object.
class Trial {
 public:
  Trial();
  ~Trial();
  Trial(const Trial&) = delete;

  std::filesystem::path path(const std::string& name = "") const { return folder_ / name; }
  bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  // Names of what lies in one of its folders, sorted.
  Words names(const std::string& folder = "") const;

  // The program with these arguments, one thread for each process, cache and home in the folder.
  Program::Start start(const Words& arguments, const Environment& environment = {}) const;
  Outcome mortise(const Words& arguments, const Environment& environment = {}) const;
  // `mortise run run.yaml -n RANKS MORE…`
  Outcome run(int ranks, const Words& more = {}) const;
  // A command as the program has printed it ("mortise run …"), typed into a shell.
  Outcome typed(const std::string& line) const;

  // Lines of a run's metrics, each strict JSON; throws where one is not.
  std::vector<nlohmann::json> metrics(const std::string& run = "runs/tiny") const;
  // One text for each loss, norm and rate of a run from a step on: "3 train/loss 5.25". Equal texts
  // are equal to the last bit.
  Words numbers(const std::string& run = "runs/tiny", int from_step = 0) const;
  // The same for what was written since the run went on the last time.
  Words numbers_since_resume(const std::string& run = "runs/tiny") const;
  // Copies a run as it stood when its checkpoint of `step` was the last; 0: before the first.
  void copy_run(const std::string& from, const std::string& to, int step) const;
  // One number of each step that has it, in order.
  std::vector<double> series(const std::string& name, const std::string& run = "runs/tiny") const;

 private:
  std::filesystem::path folder_;
};

// A plugin that was built for tests: "ragged" of tests/plugins, "loading/good" with its folder.
std::filesystem::path fixture_plugin(const std::string& name);

// `--set KEY=VALUE` for each.
Words sets(const Words& assignments);
Words operator+(Words some, const Words& more);

bool contains(const std::string& text, const std::string& part);
int count(const std::string& text, const std::string& part);
// What stands between `before` and the end of its line; "" where it does not stand.
std::string rest_of_line(const std::string& text, const std::string& before);

// The program has done what it was asked for: exit code 0, nothing left over.
void check_done(const Outcome& outcome);
// It has refused: exit code, one error that holds all of `parts`, no dump and no signal.
void check_refused(const Outcome& outcome, int exit, const Words& parts);

}  // namespace mortise::tests
