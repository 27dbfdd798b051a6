#pragma once

// NAME.pbin.json: what the packed format cannot say.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mortise::pbin {

struct SideFile {
  struct Source {
    std::string file;
    std::int64_t bytes = -1, documents = -1, tokens = -1;
  };
  // -1: not known.
  std::string tokenizer_fingerprint;
  std::int64_t vocabulary_size = -1, end_of_document = -1;
  std::int64_t tokens = -1, documents = -1, largest_token = -1;
  std::string checksum;  // XXH3-64 of the token data, 16 hex digits
  std::vector<Source> sources;
};

std::string side_path(const std::string& pbin_path);
std::string json_of(const SideFile& side);

// Nothing when there is no such file.
// Errors: DataError naming the file.
std::optional<SideFile> read_side_file(const std::string& pbin_path);

}  // namespace mortise::pbin
