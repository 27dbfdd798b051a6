#include "host/checkpoint/checkpoint_folder.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "host/checkpoint/checkpoint_index.hpp"
#include "host/checkpoint/files/durable_folder.hpp"
#include "host/checkpoint/files/step_name.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

// What has the name of a step, complete or not, by ascending step.
std::vector<FoundCheckpoint> candidates_in(const fs::path& checkpoints) {
  std::vector<FoundCheckpoint> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(checkpoints, error))
    if (const auto step = step_of(entry.path().filename().string()))
      found.push_back({*step, entry.path()});
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.step < b.step; });
  return found;
}

bool contains(const std::vector<std::int64_t>& steps, std::int64_t step) {
  return std::find(steps.begin(), steps.end(), step) != steps.end();
}

// The first entry of a checkpoint's folder that its index does not list.
std::optional<std::string> foreign_entry(const fs::path& folder) {
  const CheckpointIndex index = read_index(folder);
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name != kIndexFile && index.find_file(name) == nullptr) return name;
  }
  return std::nullopt;
}

}  // namespace

CheckpointFolder::CheckpointFolder(fs::path checkpoints, WarningSink warn)
    : checkpoints_(std::move(checkpoints)), warn_(std::move(warn)) {}

std::vector<FoundCheckpoint> CheckpointFolder::complete() const {
  std::vector<FoundCheckpoint> found = candidates_in(checkpoints_);
  std::erase_if(found, [&](const FoundCheckpoint& candidate) { return !is_complete(candidate); });
  return found;
}

std::optional<FoundCheckpoint> CheckpointFolder::latest() const {
  const std::vector<FoundCheckpoint> found = candidates_in(checkpoints_);
  const auto newest = std::find_if(found.rbegin(), found.rend(),
                                   [&](const FoundCheckpoint& c) { return is_complete(c); });
  if (newest == found.rend()) return std::nullopt;
  return *newest;
}

bool CheckpointFolder::is_complete(const FoundCheckpoint& candidate) const try {
  const std::string faults = size_faults(read_index(candidate.folder), candidate.folder);
  if (faults.empty()) return true;
  warn_("ignored " + candidate.folder.string() + ", which is torn:\n" + faults);
  return false;
} catch (const std::exception& fault) {
  warn_("ignored " + candidate.folder.string() + ", which is torn: " + fault.what());
  return false;
}

fs::path CheckpointFolder::resolve(const std::string& which) const {
  if (which == "latest") {
    if (const auto newest = latest()) return newest->folder;
    refuse(which);
  }
  const auto number = whole_number(which);
  const auto step = number ? number : step_of(which);
  std::error_code error;
  const fs::path folder = step ? checkpoints_ / step_name(*step) : fs::path(which);
  if (!fs::is_directory(folder, error)) refuse(which);
  return folder;
}

void CheckpointFolder::refuse(const std::string& which) const {
  std::string steps;
  for (const FoundCheckpoint& c : complete())
    steps += (steps.empty() ? "" : ", ") + std::to_string(c.step);
  throw storage_failure(storage::not_found, checkpoints_, "there is no checkpoint `" + which + "`",
                        steps.empty() ? "there is no complete checkpoint here: start the run anew"
                                      : "name one of the steps " + steps + ", or a path");
}

std::vector<FoundCheckpoint> CheckpointFolder::apply(const Retention& retention) const {
  std::vector<FoundCheckpoint> removed;
  if (retention.keep <= 0) return removed;
  const std::vector<FoundCheckpoint> found = complete();
  const std::size_t kept = std::min(found.size(), std::size_t(retention.keep));
  for (std::size_t i = 0; i != found.size() - kept; ++i) {
    const std::int64_t step = found[i].step;
    if (retention.keep_every > 0 && step % retention.keep_every == 0) continue;
    if (contains(retention.best, step)) continue;
    if (remove(found[i])) removed.push_back(found[i]);
  }
  return removed;
}

std::vector<fs::path> CheckpointFolder::set_aside_after(std::int64_t step) const {
  std::vector<fs::path> moved;
  for (const FoundCheckpoint& c : complete()) {
    if (c.step <= step) continue;
    moved.push_back(aside_name(c.folder));
    rename_folder(c.folder, moved.back());
  }
  return moved;
}

// Takes the name of a complete checkpoint away first: a removal that is cut short leaves nothing
// that looks like one, and the next save clears it up.
bool CheckpointFolder::remove(const FoundCheckpoint& checkpoint) const try {
  if (fs::is_symlink(checkpoint.folder)) return false;
  if (const auto foreign = foreign_entry(checkpoint.folder)) {
    warn_("kept " + checkpoint.folder.string() + ", which holds `" + *foreign + "`, not ours");
    return false;
  }
  const fs::path doomed = checkpoints_ / partial_name(checkpoint.step);
  rename_folder(checkpoint.folder, doomed);
  remove_folder(doomed);
  return true;
} catch (const std::exception& fault) {
  warn_(fault.what());
  return false;
}

}  // namespace mortise::host
