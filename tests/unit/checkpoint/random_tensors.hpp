#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mortise/kit/torch.hpp>
#include <random>
#include <string>
#include <vector>

namespace mortise::tests {

using Random = std::mt19937_64;

// MORTISE_TEST_SEED repeats a run.
inline std::uint64_t test_seed() {
  const char* given = std::getenv("MORTISE_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

inline std::int64_t pick(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

// Any bits, NaNs among them: what comes back must be the same bytes.
inline at::Tensor random_bits(Random& random, std::int64_t count, at::ScalarType type) {
  at::Tensor values = at::empty({count}, at::TensorOptions(type));
  auto* bytes = static_cast<unsigned char*>(values.mutable_data_ptr());
  for (std::size_t i = 0; i != values.nbytes(); ++i)
    bytes[i] = static_cast<unsigned char>(random());
  return values;
}

// The elements of a box of a global tensor, one by one: an independent way of saying what a box is.
// Padded with junk to a multiple of 16, as the engine keeps them.
inline at::Tensor elements_of(const at::Tensor& global, const Shape& shape, const Box& box) {
  const std::int64_t count = box.count();
  at::Tensor values = at::empty({(count + 15) / 16 * 16}, global.options());
  const std::size_t width = global.element_size();
  const auto* from = static_cast<const char*>(global.const_data_ptr());
  auto* to = static_cast<char*>(values.mutable_data_ptr());
  if (values.nbytes() != 0) std::memset(to, 0x55, values.nbytes());
  for (std::int64_t i = 0; i != count; ++i) {
    std::int64_t rest = i, position = 0, stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      position += (box.offset[d] + rest % box.size[d]) * stride;
      rest /= box.size[d];
      stride *= shape[d];
    }
    std::memcpy(to + std::size_t(i) * width, from + std::size_t(position) * width, width);
  }
  return values;
}

// Whether the first `count` elements are the same bytes.
inline bool same_bits(const at::Tensor& a, const at::Tensor& b, std::int64_t count) {
  const std::size_t bytes = std::size_t(count) * a.element_size();
  return a.scalar_type() == b.scalar_type() &&
         (bytes == 0 || std::memcmp(a.const_data_ptr(), b.const_data_ptr(), bytes) == 0);
}

inline std::vector<std::int64_t> random_cuts(Random& random, std::int64_t size,
                                             std::int64_t parts) {
  std::vector<std::int64_t> cuts = {0};
  for (std::int64_t i = 1; i < parts; ++i) cuts.push_back(pick(random, 0, size));
  cuts.push_back(size);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

// Which boxes each rank holds.
using Split = std::vector<std::vector<Box>>;

// fsdp: equal chunks of rows, the last ranks short or empty.
inline Split split_rows(const Shape& shape, std::int64_t ranks) {
  Split split(static_cast<std::size_t>(ranks));
  const std::int64_t rows = shape[0], chunk = (rows + ranks - 1) / ranks;
  for (std::int64_t rank = 0; rank != ranks; ++rank) {
    Box box{Shape(shape.size(), 0), shape};
    box.offset[0] = std::min(rows, rank * chunk);
    box.size[0] = std::min(rows, box.offset[0] + chunk) - box.offset[0];
    split[std::size_t(rank)].push_back(box);
  }
  return split;
}

// Tensor-parallel halves of the last dimension, each cut into rows of its own.
inline Split split_columns_then_rows(Random& random, const Shape& shape, std::int64_t ranks) {
  Split split(static_cast<std::size_t>(ranks));
  const std::size_t last = shape.size() - 1;
  const std::int64_t columns = ranks % 2 == 0 ? 2 : 1;
  const auto column_cuts = random_cuts(random, shape[last], columns);
  for (std::int64_t c = 0; c != columns; ++c) {
    const auto row_cuts = random_cuts(random, shape[0], ranks / columns);
    for (std::int64_t r = 0; r != ranks / columns; ++r) {
      Box box{Shape(shape.size(), 0), shape};
      if (last != 0) {
        box.offset[last] = column_cuts[std::size_t(c)];
        box.size[last] = column_cuts[std::size_t(c) + 1] - column_cuts[std::size_t(c)];
      } else if (c != 0) {
        continue;  // one dimension: the second half holds nothing
      }
      box.offset[0] = row_cuts[std::size_t(r)];
      box.size[0] = row_cuts[std::size_t(r) + 1] - row_cuts[std::size_t(r)];
      split[std::size_t(c * (ranks / columns) + r)].push_back(box);
    }
  }
  return split;
}

// Halves boxes at random places and deals the pieces out: irregular, several to a rank.
inline Split split_anyhow(Random& random, const Shape& shape, std::int64_t ranks) {
  std::vector<Box> boxes = {{Shape(shape.size(), 0), shape}};
  for (int i = 0; i != 6; ++i) {
    Box& box = boxes[std::size_t(pick(random, 0, std::int64_t(boxes.size()) - 1))];
    const auto d = std::size_t(pick(random, 0, std::int64_t(shape.size()) - 1));
    Box rest = box;
    box.size[d] = pick(random, 0, box.size[d]);
    rest.offset[d] += box.size[d];
    rest.size[d] -= box.size[d];
    boxes.push_back(rest);
  }
  Split split(static_cast<std::size_t>(ranks));
  for (const Box& box : boxes) split[std::size_t(pick(random, 0, ranks - 1))].push_back(box);
  return split;
}

// ddp: all hold all. With a scalar nothing else is possible.
inline Split replicate(const Shape& shape, std::int64_t ranks) {
  return Split(std::size_t(ranks), {Box{Shape(shape.size(), 0), shape}});
}

inline Split random_split(Random& random, const Shape& shape, std::int64_t ranks) {
  if (shape.empty()) return replicate(shape, ranks);
  switch (pick(random, 0, 3)) {
    case 0:
      return split_rows(shape, ranks);
    case 1:
      return split_columns_then_rows(random, shape, ranks);
    case 2:
      return split_anyhow(random, shape, ranks);
    default:
      return replicate(shape, ranks);
  }
}

}  // namespace mortise::tests
