#pragma once

// First values that depend on (seed, name, element) alone: what the initialisers of normal numbers
// share. Whoever includes this is torch-locked.

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <mortise/model/initializer.hpp>
#include <mortise/random.hpp>

namespace mortise::normal_fill {

// Elements of a box that lie behind one another in the parameter: its rows.
class Rows {
 public:
  Rows(const Box& box, const Shape& shape) : box_(box), shape_(shape) {
    length_ = box.size.empty() ? 1 : box.size.back();
  }
  std::int64_t length() const { return length_; }
  std::int64_t count() const { return length_ == 0 ? 0 : box_.count() / length_; }
  // Number of row `row`'s first element, counted over the whole parameter.
  std::int64_t first_element(std::int64_t row) const {
    std::int64_t index = 0, stride = 1;
    for (std::size_t d = shape_.size(); d-- > 0;) {
      const bool last = d + 1 == shape_.size();
      const std::int64_t position = last ? 0 : row % box_.size[d];
      if (!last) row /= box_.size[d];
      index += (box_.offset[d] + position) * stride;
      stride *= shape_[d];
    }
    return index;
  }

 private:
  const Box& box_;
  const Shape& shape_;
  std::int64_t length_;
};

inline void draw(float* to, const Rows& rows, std::uint64_t key, double deviation) {
  constexpr std::int64_t kElementsForThread = 4096;
  const std::int64_t length = rows.length();
  at::parallel_for(0, rows.count(), kElementsForThread / std::max<std::int64_t>(length, 1) + 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t row = begin; row != end; ++row) {
                       const auto first = std::uint64_t(rows.first_element(row));
                       for (std::int64_t i = 0; i != length; ++i)
                         to[row * length + i] =
                             float(deviation * random::normal(key, first + std::uint64_t(i)));
                     }
                   });
}

// Fills the front of piece.master: norms and scales with 1, biases with 0, the rest with normal
// numbers of this standard deviation.
inline void fill(const Piece& piece, const ParameterInfo& parameter, std::uint64_t seed,
                 double deviation) {
  const std::int64_t count = piece.box.count();
  if (count == 0) return;
  at::Tensor front = piece.master.detach().narrow(0, 0, count);
  switch (parameter.role) {
    case Role::norm:
    case Role::scale:
      front.fill_(1);
      return;
    case Role::bias:
      front.zero_();
      return;
    default:
      break;
  }
  at::Tensor drawn = front.is_cpu() ? front : at::empty({count}, at::kFloat);
  draw(drawn.mutable_data_ptr<float>(), Rows(piece.box, parameter.shape),
       random::key_of(seed, parameter.name), deviation);
  if (!drawn.is_same(front)) front.copy_(drawn);
}

}  // namespace mortise::normal_fill
