#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/checkpoint/checkpoint_index.hpp"
#include "host/checkpoint/saved_tensor.hpp"

namespace mortise::host {

// What one rank tells rank 0: the files that it wrote, and the tensors that it holds with the boxes
// that lie in these files; no box for a tensor of which it wrote nothing.
class RankReport {
 public:
  void add(const FileRecord& file) { files_.push_back(file); }
  void add(SavedGroup group, const SavedTensor& tensor, std::optional<Box> written);

  std::string text() const;
  static RankReport parse(const std::string& text);

 private:
  friend class IndexBuilder;
  struct Held {
    SavedGroup group;
    std::string name, dtype;
    Shape shape;
    std::optional<Box> box;
  };
  std::vector<FileRecord> files_;
  std::vector<Held> held_;
};

// Joins the reports of all ranks into an index.
class IndexBuilder {
 public:
  // `folder` is named in messages.
  IndexBuilder(std::filesystem::path folder, std::int64_t step)
      : folder_(std::move(folder)), step_(step) {}
  // Throws Failure K0021 when ranks disagree on a tensor; the text names both.
  void add(std::int64_t rank, const RankReport& report);
  void add(const FileRecord& file) { files_.push_back(file); }
  // Throws Failure K0020 when the boxes of a tensor do not hold each element exactly once.
  CheckpointIndex build() &&;

 private:
  struct Gathered {
    IndexedTensor tensor;
    std::int64_t first_rank = 0;
    std::vector<PlacedBox> placed;
  };
  void add(std::int64_t rank, const RankReport::Held& held);
  BoxLayout layout_of(const std::string& name, Gathered& gathered) const;

  std::filesystem::path folder_;
  std::int64_t step_, ranks_ = 0;
  std::vector<FileRecord> files_;
  std::map<std::string, Gathered> tensors_;
};

}  // namespace mortise::host
