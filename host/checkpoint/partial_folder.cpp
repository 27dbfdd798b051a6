#include "host/checkpoint/partial_folder.hpp"

#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "host/checkpoint/checkpoint_index.hpp"
#include "host/checkpoint/files/durable_folder.hpp"
#include "host/checkpoint/files/step_name.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

bool is_ours_and_complete(const fs::path& folder) try {
  return !fs::is_symlink(folder) && size_faults(read_index(folder), folder).empty();
} catch (const std::exception&) {
  return false;
}

}  // namespace

void remove_leftovers(const fs::path& checkpoints, const WarningSink& warn) {
  std::vector<fs::path> leftovers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(checkpoints, error))
    if (is_leftover(entry.path().filename().string())) leftovers.push_back(entry.path());
  for (const fs::path& leftover : leftovers) {
    remove_folder(leftover);
    warn("removed " + leftover.string() + ", left behind by a save that was cut short");
  }
}

PartialFolder::PartialFolder(const fs::path& checkpoints, std::int64_t step, WarningSink warn)
    : checkpoints_(checkpoints),
      partial_(checkpoints / partial_name(step)),
      final_(checkpoints / step_name(step)),
      warn_(std::move(warn)) {
  make_folder(checkpoints_);
  remove_leftovers(checkpoints_, warn_);
  make_folder(partial_);
}

PartialFolder::~PartialFolder() {
  std::error_code ignored;  // the failure that led here says more
  if (!committed_) fs::remove_all(partial_, ignored);
}

void PartialFolder::commit() {
  sync_folder(partial_);
  if (!is_there(final_)) {
    rename_folder(partial_, final_);
  } else if (is_ours_and_complete(final_)) {
    replace();
  } else {
    const fs::path aside = move_aside();
    warn_(final_.string() + " was no complete checkpoint: moved to " + aside.filename().string());
  }
  committed_ = true;
}

void PartialFolder::replace() {
  const fs::path old = exchange_folders(partial_, final_) ? partial_ : move_aside();
  std::error_code error;
  fs::remove_all(old, error);
  if (error) warn_("cannot remove " + old.string() + ", which was replaced: " + error.message());
}

// Moves what has the final name to a free one, and this folder to the final one.
fs::path PartialFolder::move_aside() const {
  const fs::path aside = aside_name(final_);
  rename_folder(final_, aside);
  try {
    rename_folder(partial_, final_);
  } catch (const Failure&) {
    rename_folder(aside, final_);
    throw;
  }
  return aside;
}

}  // namespace mortise::host
