#include "host/checkpoint/files/stored_type.hpp"

namespace mortise::host {
namespace {

constexpr StoredType kTypes[] = {
    {"F32", at::ScalarType::Float, 4},
    {"F64", at::ScalarType::Double, 8},
    {"F16", at::ScalarType::Half, 2},
    {"BF16", at::ScalarType::BFloat16, 2},
    {"I64", at::ScalarType::Long, 8},
    {"I32", at::ScalarType::Int, 4},
    {"I16", at::ScalarType::Short, 2},
    {"I8", at::ScalarType::Char, 1},
    {"U64", at::ScalarType::UInt64, 8},
    {"U32", at::ScalarType::UInt32, 4},
    {"U16", at::ScalarType::UInt16, 2},
    {"U8", at::ScalarType::Byte, 1},
    {"BOOL", at::ScalarType::Bool, 1},
    {"F8_E5M2", at::ScalarType::Float8_e5m2, 1},
    {"F8_E4M3", at::ScalarType::Float8_e4m3fn, 1},
};

}  // namespace

std::optional<StoredType> stored_type(at::ScalarType type) {
  for (const StoredType& known : kTypes)
    if (known.type == type) return known;
  return std::nullopt;
}

std::optional<StoredType> stored_type(std::string_view name) {
  for (const StoredType& known : kTypes)
    if (known.name == name) return known;
  return std::nullopt;
}

std::optional<std::int64_t> element_count(const Shape& shape, std::int64_t element_bytes) {
  std::int64_t count = 1, bytes = element_bytes;
  bool overflow = false, empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) empty = true;
    overflow |= __builtin_mul_overflow(count, size, &count);
    overflow |= __builtin_mul_overflow(bytes, size, &bytes);
  }
  if (empty) return 0;
  if (overflow) return std::nullopt;
  return count;
}

std::string in_brackets(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i != shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

std::string type_and_shape(at::ScalarType type, const Shape& shape) {
  const auto known = stored_type(type);
  return std::string(known ? known->name : "a type unknown to safetensors") + in_brackets(shape);
}

}  // namespace mortise::host
