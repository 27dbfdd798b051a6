#pragma once

// What `data inspect` says of a file.

#include <optional>
#include <string>
#include <vector>

#include "input.hpp"

namespace mortise::token_tools {

struct FileReport {
  struct Document {
    std::int64_t tokens = 0;
    std::vector<std::int64_t> ids;    // the first ones
    std::optional<std::string> text;  // of these ids
  };
  std::string path, format;
  std::int64_t bytes_per_token = 0, tokens = 0;
  std::int64_t documents = -1;  // -1: the file does not know them
  std::int64_t shortest = -1, longest = -1;
  pbin::SideFile side;
  std::vector<Document> first;
};

std::string text_of(const FileReport& report);
// One line.
std::string json_of(const FileReport& report);

}  // namespace mortise::token_tools
