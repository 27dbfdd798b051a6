#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "host/checkpoint/box_layout.hpp"
#include "host/checkpoint/files/durable_file.hpp"
#include "host/checkpoint/saved_tensor.hpp"

namespace mortise::host {

inline constexpr const char* kIndexFile = "index.json";
inline constexpr const char* kStateFile = "state.json";

// "weights-00003.safetensors"
std::string file_name(SavedGroup group, std::int64_t rank);

// What the index knows of one tensor. `layout`: position in CheckpointIndex::layouts.
struct IndexedTensor {
  SavedGroup group = SavedGroup::weights;
  at::ScalarType type = at::ScalarType::Float;
  Shape shape;
  std::size_t layout = 0;
};

// index.json: what a checkpoint consists of. It is written last, so a folder that has it is
// complete.
struct CheckpointIndex {
  std::int64_t step = 0, ranks = 0;
  std::vector<FileRecord> files;
  std::vector<BoxLayout> layouts;
  std::map<std::string, IndexedTensor> tensors;

  const FileRecord* find_file(const std::string& name) const;

  // One line for each layout and each tensor.
  std::string text() const;
  // Throws Failure K0011, naming `file`, for text that text() does not give.
  static CheckpointIndex parse(const std::string& text, const std::filesystem::path& file);
};

// Reads the index of a checkpoint. Throws Failure K0010 when there is none, else as parse().
CheckpointIndex read_index(const std::filesystem::path& folder);

// The files that are missing or of another size, one line each; empty for a complete checkpoint.
std::string size_faults(const CheckpointIndex& index, const std::filesystem::path& folder);

}  // namespace mortise::host
