#pragma once

// OUT.dropped.jsonl: the records that were left out or replaced.

#include <cstdint>
#include <optional>
#include <string>

#include "../../data/pbin/partial_file.hpp"

namespace mortise::data_tools {

class FaultReport {
 public:
  // `path`: its name; the file is made with the first line.
  explicit FaultReport(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // Goes on behind the first `bytes` of what an interrupted job left.
  // Errors: Error(storage), here and in every call.
  void resume(std::uint64_t bytes);
  void add(const std::string& line);
  // Everything is on the disk when this returns: how many bytes.
  std::uint64_t save();
  void leave();
  // Gives the file its name. Where nothing was added, one of an earlier run goes away.
  void publish();

 private:
  std::string path_;
  std::optional<pbin::PartialFile> file_;
};

}  // namespace mortise::data_tools
