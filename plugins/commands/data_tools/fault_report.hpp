#pragma once

// OUT.dropped.jsonl: the records that were left out or replaced.

#include <optional>
#include <string>

#include "../../data/pbin/partial_file.hpp"

namespace mortise::data_tools {

class FaultReport {
 public:
  // `path`: its name; the file is made with the first line.
  explicit FaultReport(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // Errors: Error(storage).
  void add(const std::string& line);
  // Gives the file its name. Where nothing was added, one of an earlier run goes away.
  void publish();

 private:
  std::string path_;
  std::optional<pbin::PartialFile> file_;
};

}  // namespace mortise::data_tools
