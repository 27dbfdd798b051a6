#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace mortise::host {

// runs/NAME: config.yaml, metrics.jsonl, run.log, changes.jsonl, checkpoints/,
// crash-rank-NNNNN.txt.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path config() const { return path_ / "config.yaml"; }
  std::filesystem::path changes() const { return path_ / "changes.jsonl"; }
  std::filesystem::path log() const { return path_ / "run.log"; }
  // What a rank leaves behind that has crashed.
  std::filesystem::path crash_report(std::int64_t rank) const;

  // Whether nothing is there, or nothing but what making it left behind when it was cut short.
  bool is_new() const;
  // Refuses what is there and no run (Failure, exit configuration); `command` is how this run was
  // started.
  void require_run(const std::string& command) const;
  // Refuses to go on with what is not there.
  [[noreturn]] void refuse_missing(const std::string& command) const;
  // Makes it. Throws Failure (exit storage) when it cannot be written.
  void create() const;
  // Writes a file through a temporary name.
  void write(const std::filesystem::path& file, const std::string& text) const;
  // A file's text; "" when it is not there.
  std::string read(const std::filesystem::path& file) const;
  // Takes a run away that this process has made and that has come to nothing. Never throws.
  void remove() const;

 private:
  std::filesystem::path path_;
};

// The first of NAME, NAME-2, NAME-3 … whose folder is not there.
std::string free_run_name(const std::filesystem::path& runs, const std::string& name);
}  // namespace mortise::host
