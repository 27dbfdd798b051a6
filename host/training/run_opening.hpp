#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/config/settings_difference.hpp"
#include "host/logging/run_log.hpp"
#include "host/training/change_rule.hpp"
#include "host/training/horizon.hpp"
#include "host/training/run_folder.hpp"
#include "host/training/run_history.hpp"
#include "host/training/run_lock.hpp"
#include "host/training/training_request.hpp"

namespace mortise::host {

// How a run begins.
struct RunStart {
  enum class Kind { anew, goes_on, finished } kind = Kind::anew;
  std::int64_t step = 0;             // updates that are done
  std::filesystem::path checkpoint;  // to load; empty: the first weights
};

// Opens the folder of a run: makes a new one, or decides how the run that is in it goes on.
//
// Ranks: the first one alone.
class RunOpening {
 public:
  struct Parts {
    const TrainingRequest& request;
    const RunSettings& settings;
    const Horizon& horizon;
    RunLog& log;
  };
  explicit RunOpening(const Parts& parts);

  // Throws Failure where this run cannot begin or go on; then nothing has changed. Tells how it
  // begins, in the run's log too.
  RunStart open();
  // The run goes on, everything is loaded: writes down settings that have changed, and moves
  // checkpoints of later steps aside.
  void commit();
  // The run has failed before its first step: takes the folder away if open() has made it.
  void undo() noexcept;
  // All changes of settings so far, for checkpoints.
  nlohmann::ordered_json history() const;

 private:
  struct Change {
    SettingChange setting;
    ChangeRule rule = ChangeRule::refused;
    bool accepted = false;
  };
  void make();
  void find_checkpoint();
  void find_changes();
  void rate(const SettingChange& change);
  void look_at_data(const nlohmann::ordered_json& state);
  void require_known(const FlatSettings& before) const;
  void require_accepted() const;
  void judge_end(const nlohmann::ordered_json& state);
  std::string listed(const Change& change) const;
  std::string first_line() const;
  void tell(const nlohmann::ordered_json& state);

  Parts parts_;
  RunFolder folder_;
  RunHistory history_;
  std::optional<RunLock> lock_;
  RunStart start_;
  bool made_ = false, own_checkpoint_ = true;
  std::string ended_early_;
  std::vector<Change> changes_;
  std::vector<std::string> warnings_;
};

}  // namespace mortise::host
