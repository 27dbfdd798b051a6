#pragma once

// A small model's parameters with everything that cutting can get wrong, and pieces of them.

#include <ATen/ATen.h>

#include <cstring>
#include <mortise/optim/piece.hpp>
#include <mortise/random.hpp>

namespace mortise::conformance {

inline constexpr std::int64_t kSampleUnits = 3;

inline ParameterInfo sample_parameter(std::string name, Shape shape, Role role,
                                      std::vector<std::int64_t> units) {
  ParameterInfo info;
  info.name = std::move(name);
  info.axes.assign(shape.size(), Axis::other);
  info.shape = std::move(shape);
  info.role = role;
  info.units = std::move(units);
  info.depth = info.units.front() == 1 ? 0 : -1;
  return info;
}

// Odd sizes, one element, three dimensions, a tied one (units 0 and 2) and a frozen one.
inline std::vector<ParameterInfo> sample_parameters() {
  std::vector<ParameterInfo> all = {
      sample_parameter("embed.weight", {7, 3}, Role::embedding, {0, 2}),
      sample_parameter("layers.0.up.weight", {5, 4}, Role::matrix, {1}),
      sample_parameter("layers.0.up.bias", {5}, Role::bias, {1}),
      sample_parameter("layers.0.norm.weight", {16}, Role::norm, {1}),
      sample_parameter("layers.0.scale", {1}, Role::scale, {1}),
      sample_parameter("layers.0.experts.weight", {2, 3, 6}, Role::expert, {1}),
      sample_parameter("layers.0.frozen", {2, 9}, Role::other, {1}),
      sample_parameter("head.weight", {33, 4}, Role::head, {2}),
  };
  all[6].trainable = false;
  return all;
}

inline Box whole_box(const Shape& shape) { return {Shape(shape.size(), 0), shape}; }
// Rows [first, first + count) of a parameter.
inline Box rows_of(const Shape& shape, std::int64_t first, std::int64_t count) {
  Box box = whole_box(shape);
  box.offset[0] = first;
  box.size[0] = count;
  return box;
}
inline std::int64_t padded(std::int64_t count) { return (count + 15) / 16 * 16; }

// A piece with room for its box and padding, all zero.
inline Piece empty_piece(ParameterId parameter, Box box) {
  const std::int64_t size = padded(box.count());
  return {parameter, std::move(box), at::zeros({size}), at::zeros({size}), {}};
}
inline at::Tensor front_of(const at::Tensor& t, const Box& box) {
  return t.narrow(0, 0, box.count());
}
inline bool padding_is_zero(const at::Tensor& t, const Box& box) {
  return t.narrow(0, box.count(), t.numel() - box.count()).eq(0).all().item<bool>();
}
// The part of `whole` that `box` covers, flat.
inline at::Tensor part_of(const at::Tensor& whole, const Box& box) {
  at::Tensor part = whole;
  for (std::size_t d = 0; d != box.size.size(); ++d)
    part = part.narrow(std::int64_t(d), box.offset[d], box.size[d]);
  return part.contiguous().flatten();
}
inline bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         (a.numel() == 0 ||  // then there may be no memory
          std::memcmp(a.contiguous().const_data_ptr(), b.contiguous().const_data_ptr(),
                      a.nbytes()) == 0);
}

// Numbers that are a function of `name` alone, so that a check can be repeated.
inline at::Tensor sample_values(std::string_view name, const Shape& shape) {
  at::Tensor values = at::empty(shape, at::kDouble);
  const std::uint64_t key = random::key_of(11, name);
  auto* to = values.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i != values.numel(); ++i) to[i] = random::normal(key, std::uint64_t(i));
  return values;
}

}  // namespace mortise::conformance
