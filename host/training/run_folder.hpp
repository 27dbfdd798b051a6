#pragma once

#include <filesystem>
#include <string>

namespace mortise::host {

// runs/NAME: config.yaml, metrics.jsonl, run.log, checkpoints/.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path config() const { return path_ / "config.yaml"; }

  // Refuses a folder that is there already, with the command that goes on (Failure, exit
  // configuration); `command` is how this run was started.
  void require_new(const std::string& command) const;
  // Refuses to go on with what is not there (Failure, exit configuration).
  void require_there(const std::string& command) const;
  // Makes it. Throws Failure (exit storage) when it cannot be written.
  void create() const;
  // Writes a file through a temporary name.
  void write(const std::filesystem::path& file, const std::string& text) const;
  // Takes a run away that this process has made and that has come to nothing. Never throws.
  void remove() const;

 private:
  std::filesystem::path path_;
};

}  // namespace mortise::host
