#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/checkpoint/checkpoint_index.hpp"
#include "host/checkpoint/safetensors.hpp"

namespace mortise::host {

// A tensor that a model or optimizer needs.
struct ExpectedTensor {
  std::string name;
  Shape shape;
  at::ScalarType type = at::ScalarType::Float;
};

// What differs between a checkpoint and what is expected of it.
struct CheckpointDifference {
  std::vector<std::string> missing, unexpected;  // names
  std::vector<std::string> mis_shaped;           // "x: expected F32[3], the checkpoint has F32[4]"

  bool empty() const { return missing.empty() && unexpected.empty() && mis_shaped.empty(); }
  std::string text() const;  // every name on a line
};

// Which files' checksums this rank looks at, so that together the ranks read each file once: those
// whose number, modulo `parts`, is `part`.
struct ChecksumShare {
  std::int64_t part = 0, parts = 1;
};

// state.json of a checkpoint's folder; nothing else of it is looked at. Throws Failure K0003 or
// K0011.
nlohmann::ordered_json read_state(const std::filesystem::path& folder);

// A complete checkpoint, read box by box whatever ranks wrote it. Holds the files that it looked
// into mapped; never a whole file in memory.
//
// Errors:  Failure K0003 (cannot be read), K0014 (a file does not match the index).
// Threads: one at a time.
class Checkpoint {
 public:
  // Checks that the index is there, all sizes, and the checksums of its share.
  // Throws Failure K0010, K0011, K0012 or K0013, which names every file that is wrong.
  static Checkpoint open(const std::filesystem::path& folder, ChecksumShare share = {});

  const std::filesystem::path& folder() const { return folder_; }
  std::int64_t step() const { return index_.step; }
  // How many ranks wrote it.
  std::int64_t ranks() const { return index_.ranks; }
  const std::map<std::string, IndexedTensor>& tensors() const { return index_.tensors; }
  bool has(const std::string& name) const { return index_.tensors.count(name) != 0; }
  // state.json.
  nlohmann::ordered_json state() const;

  // The elements of a box: 1-d, in row order, of the type that was saved (float32 for parameters
  // and slots). Throws Failure K0030 when there is no such tensor or the box leaves its shape.
  at::Tensor read(const std::string& name, const Box& box) const;
  // The same into the first elements of a 1-d contiguous CPU tensor of that type.
  void read_into(const std::string& name, const Box& box, at::Tensor& to) const;

  // Compares the tensors of one group with those that are expected.
  CheckpointDifference compare(SavedGroup group, const std::vector<ExpectedTensor>& expected) const;
  // Throws one Failure K0030 that lists all differences, if there are any.
  void require_same(SavedGroup group, const std::vector<ExpectedTensor>& expected) const;

 private:
  Checkpoint(std::filesystem::path folder, CheckpointIndex index);
  const IndexedTensor& tensor_for(const std::string& name, const Box& box) const;
  const SafetensorsFile& file_of(SavedGroup group, std::int64_t rank) const;

  std::filesystem::path folder_;
  CheckpointIndex index_;
  mutable std::map<std::string, std::unique_ptr<SafetensorsFile>> files_;  // those looked into
};

}  // namespace mortise::host
