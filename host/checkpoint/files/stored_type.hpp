#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <mortise/data/array.hpp>
#include <optional>
#include <string_view>

namespace mortise::host {

// An element type as the safetensors format names it.
struct StoredType {
  std::string_view name;  // "F32"
  at::ScalarType type;
  std::int64_t bytes;
};

// Empty for types that files cannot hold, or that LibTorch does not have.
std::optional<StoredType> stored_type(at::ScalarType type);
std::optional<StoredType> stored_type(std::string_view name);

// The elements of a shape; empty when the number or its bytes overflow, or a size is negative.
std::optional<std::int64_t> element_count(const Shape& shape, std::int64_t element_bytes = 1);

// "F32[257, 12]"
std::string type_and_shape(at::ScalarType type, const Shape& shape);
// "[257, 12]"
std::string in_brackets(const Shape& shape);

}  // namespace mortise::host
