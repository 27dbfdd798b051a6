#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <mortise/data/array.hpp>
#include <span>
#include <string>
#include <vector>

#include "host/checkpoint/files/durable_file.hpp"
#include "host/checkpoint/files/stored_file.hpp"

namespace mortise::host {

// The safetensors format: 8 bytes little-endian length of the header, a JSON header
// {"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {text: text}} padded
// with spaces to 8 bytes, then the elements without holes, widest types first so that each tensor
// is aligned to its element.

// A tensor to be written: the first elements of the contiguous CPU tensor `values`, as many as
// `shape` says.
struct TensorToStore {
  std::string name;
  Shape shape;
  at::Tensor values;
};

using StoredMetadata = std::map<std::string, std::string>;

// Writes a new file, on the disk when it returns; keeps no copy of the elements.
// Throws Failure K0001 when it cannot be written, K0014 for names twice, names that are no UTF-8
// and types that the format does not know.
FileRecord write_safetensors(const std::filesystem::path& path,
                             const std::vector<TensorToStore>& tensors,
                             const StoredMetadata& metadata = {});

// A tensor in a file; `begin` and `end` count bytes from the start of the file.
struct StoredTensor {
  std::string name;
  at::ScalarType type;
  Shape shape;
  std::size_t begin = 0, end = 0;
};

// A file that is read range by range. The header is checked whole when it is opened: no offset
// leaves the file, tensors neither overlap nor leave holes, sizes fit shapes.
// Throws Failure K0003 when it cannot be read, K0014 when it is malformed.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::vector<StoredTensor>& tensors() const { return tensors_; }  // by name
  const StoredMetadata& metadata() const { return metadata_; }
  // Null when it is not there.
  const StoredTensor* find(std::string_view name) const;
  // The elements of one of tensors(), as long as this file lives.
  std::span<const std::byte> bytes(const StoredTensor& tensor) const {
    return file_.bytes().subspan(tensor.begin, tensor.end - tensor.begin);
  }

 private:
  void read_header();
  void require_no_holes(std::size_t data_begin) const;

  MappedFile file_;
  std::vector<StoredTensor> tensors_;
  StoredMetadata metadata_;
};

}  // namespace mortise::host
