#pragma once

#include <c10/core/Allocator.h>

#include <array>
#include <cstdint>

namespace mortise::host {

// What the memory of tensors is for: what stays between steps; what the owner takes during one;
// gradients of parameters that it has not reduced; what is kept for the backward pass; what a unit
// needs while it computes.
enum class Purpose { state, owner, gradients, activations, computing };
inline constexpr std::size_t kPurposes = 5;

struct MemoryUse {
  std::array<std::int64_t, kPurposes> bytes{};
  std::int64_t of(Purpose purpose) const { return bytes[std::size_t(purpose)]; }
  std::int64_t total() const;
};

// Counts the memory of the CPU tensors that are made while it lives, one at a time in a process.
// Large blocks are fresh pages: what nobody writes to takes up no memory.
class MemoryCount {
 public:
  MemoryCount();
  ~MemoryCount();
  MemoryCount(const MemoryCount&) = delete;

  MemoryUse now() const;
  MemoryUse peak() const;  // when most was in use since forget_peak()
  void forget_peak();

  // What is made while it lives is for `purpose`.
  class For {
   public:
    explicit For(Purpose purpose);
    ~For();
    For(const For&) = delete;

   private:
    Purpose before_;
  };

 private:
  at::Allocator* before_;
};

}  // namespace mortise::host
