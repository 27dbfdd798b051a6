#pragma once

#include <mortise/c/dataset.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mortise/kit/structs.hpp>
#include <string>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

using Shape = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

/// Element types, torch-free.
enum class DType : std::int32_t {
  float32,
  float64,
  float16,
  bfloat16,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean,
};
constexpr DType last_enumerator(DType) { return DType::boolean; }

constexpr std::size_t bytes_of(DType t) {
  switch (t) {
    case DType::int8:
    case DType::uint8:
    case DType::boolean:
      return 1;
    case DType::float16:
    case DType::bfloat16:
    case DType::int16:
    case DType::uint16:
      return 2;
    case DType::float32:
    case DType::int32:
    case DType::uint32:
      return 4;
    default:
      return 8;
  }
}

/// A named array that owns its elements, contiguous, last dimension fastest.
struct Array {
  std::string name{};
  DType dtype = DType::int64;
  Shape shape{};
  std::vector<std::byte> data{};

  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data.data());
  }
  std::int64_t count() const {
    std::int64_t n = 1;
    for (const std::int64_t s : shape) n *= s;
    return n;
  }
};

/// The one-dimensional array `name` of `values`.
template <class T>
Array array_of(std::string name, DType dtype, const std::vector<T>& values) {
  Array a{std::move(name), dtype, {std::int64_t(values.size())}, {}};
  a.data.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(a.data.data(), values.data(), a.data.size());
  return a;
}

namespace kit {

// By hand, since data is a pointer and a size in C. Strided arrays are made contiguous.
template <>
struct members<Array> {
  using C = mt_array;
  using List = mt_arrays;
  using Sink = mt_array_sink;
  static constexpr auto map =
      std::tuple{member(&Array::name, &C::name), member(&Array::dtype, &C::dtype),
                 member(&Array::shape, &C::shape)};
};
template <>
struct lowering<Array> {
  static mt_array lower(const Array& v, Arena&) {
    return {
        head_of<mt_array>(), text(v.name),  std::int32_t(v.dtype), {v.shape.data(), v.shape.size()},
        {nullptr, 0},        v.data.data(), v.data.size()};
  }
  static Array raise(const mt_array& c) {
    Array v{std::string(view(c.name)),
            known<DType>(c.dtype),
            {c.shape.data, c.shape.data + c.shape.size},
            {}};
    const std::size_t width = bytes_of(v.dtype);
    v.data.resize(std::size_t(v.count()) * width);
    if (c.strides.size == 0) {
      if (v.data.size() != c.bytes)
        throw ShapeError("array " + v.name + " has " + std::to_string(c.bytes) +
                         " bytes, its shape needs " + std::to_string(v.data.size()));
      if (!v.data.empty()) std::memcpy(v.data.data(), c.data, v.data.size());
      return v;
    }
    for (std::int64_t i = 0; i != v.count(); ++i)
      std::memcpy(v.data.data() + std::size_t(i) * width,
                  static_cast<const std::byte*>(c.data) + std::size_t(offset(c, i)) * width, width);
    return v;
  }

 private:
  static std::int64_t offset(const mt_array& c, std::int64_t flat) {
    std::int64_t at = 0;
    for (std::size_t d = c.shape.size; d-- != 0; flat /= c.shape.data[d])
      at += flat % c.shape.data[d] * c.strides.data[d];
    return at;
  }
};

}  // namespace kit
}  // namespace mortise
