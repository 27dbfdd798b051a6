#pragma once

#include <cstdint>
#include <mortise/error.hpp>
#include <mortise/kit/torch.hpp>
#include <span>
#include <string>

namespace [[gnu::visibility("hidden")]] mortise {

/// What an implementation of Communicator checks before it sends anything. Each throws ShapeError
/// naming the operation.
namespace collective {

inline std::string sizes_of(const at::Tensor& t) {
  std::string text = "[";
  for (const std::int64_t s : t.sizes()) text += (text.size() > 1 ? ", " : "") + std::to_string(s);
  return text + "]";
}

/// `big` has `times` the elements of `small`; both are contiguous and of one type.
inline void require_fit(const char* operation, const at::Tensor& big, const at::Tensor& small,
                        std::int64_t times) {
  if (big.numel() == small.numel() * times && big.is_contiguous() && small.is_contiguous() &&
      big.scalar_type() == small.scalar_type())
    return;
  throw ShapeError(std::string(operation) + ": " + sizes_of(big) + " and " + sizes_of(small) +
                   " do not fit: expected one to have " + std::to_string(times) +
                   " times the elements of the other, both contiguous and of one type");
}

inline void require_contiguous(const char* operation, const at::Tensor& tensor) {
  if (!tensor.is_contiguous())
    throw ShapeError(std::string(operation) + ": " + sizes_of(tensor) + " is not contiguous");
}

/// It falls into equal parts for `size` ranks.
inline void require_equal_parts(const char* operation, const at::Tensor& tensor,
                                std::int64_t size) {
  if (tensor.numel() % size != 0)
    throw ShapeError(std::string(operation) + ": " + sizes_of(tensor) + " does not fall into " +
                     std::to_string(size) + " equal parts");
}

/// One part for each of `size` ranks; together they are the tensor.
inline void require_parts(const char* operation, const at::Tensor& tensor,
                          std::span<const std::int64_t> parts, std::int64_t size) {
  require_contiguous(operation, tensor);
  if (std::int64_t(parts.size()) != size)
    throw ShapeError(std::string(operation) + " needs one size for each of " +
                     std::to_string(size) + " ranks");
  std::int64_t sum = 0;
  bool negative = false;
  for (const std::int64_t part : parts) sum += part, negative = negative || part < 0;
  if (sum != tensor.numel() || negative)
    throw ShapeError(std::string(operation) + ": the parts of " + sizes_of(tensor) + " add up to " +
                     std::to_string(sum));
}

/// A rank of the group.
inline void require_rank(const char* operation, std::int64_t rank, std::int64_t size) {
  if (rank < 0 || rank >= size)
    throw Error(ErrorCode::bad_argument, std::string(operation) + ": there is no rank " +
                                             std::to_string(rank) + " in a group of " +
                                             std::to_string(size));
}

}  // namespace collective

}  // namespace mortise
