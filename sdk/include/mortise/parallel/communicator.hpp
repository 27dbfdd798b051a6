#pragma once

#include <mortise/c/parallel.h>

#include <memory>
#include <mortise/kit/torch.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// A collective under way. It keeps its tensors alive; destroying one that nobody waited for waits.
class Work : public Interface {
 public:
  /// After it returns, the results may be used by operations that are issued later on the same
  /// stream (on the CPU: at once).
  /// Errors: Error(lost_rank) naming the operation when a peer is lost or the time-out has passed.
  virtual void wait() = 0;
};

enum class ReduceOp : std::int32_t { sum, max, min };
constexpr ReduceOp last_enumerator(ReduceOp) { return ReduceOp::min; }

/// Collectives among the ranks of one or more mesh axes. Asked from Mesh and kept.
///
/// Shapes:  tensors are contiguous; for gathers and scatters one-dimensional, rank-major: the big
///          one has size() times the elements of the small one.
/// Types:   any that the back-end moves; reductions float32, float64, int64.
/// Errors:  ShapeError before anything is sent; Error(lost_rank) from wait().
/// Threads: step thread.
/// Ranks:   collective: every rank of the group makes the same calls in the same order.
/// Grad:    none.
class Communicator : public Interface {
 public:
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;
  /// Whether something optional is there: "native_reduce_scatter", "coalesced", ….
  virtual bool supports(std::string_view capability) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Work> all_gather(const at::Tensor& output,
                                                         const at::Tensor& input) = 0;
  /// Sums in whatever order is fastest.
  [[nodiscard]] virtual std::unique_ptr<Work> reduce_scatter(const at::Tensor& output,
                                                             const at::Tensor& input) = 0;
  /// Adds the parts of rank 0, 1, 2, … to `accumulator`, one after the other, when waited for:
  /// the sum is the same as in one process.
  [[nodiscard]] virtual std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& accumulator,
                                                                     const at::Tensor& input) = 0;
  [[nodiscard]] virtual std::unique_ptr<Work> all_to_all(const at::Tensor& output,
                                                         const at::Tensor& input) = 0;
  /// Sizes in elements, one for each rank.
  [[nodiscard]] virtual std::unique_ptr<Work> all_to_all_v(
      const at::Tensor& output, const at::Tensor& input, std::span<const std::int64_t> output_sizes,
      std::span<const std::int64_t> input_sizes) = 0;
  [[nodiscard]] virtual std::unique_ptr<Work> all_reduce(const at::Tensor& tensor,
                                                         ReduceOp operation) = 0;
  [[nodiscard]] virtual std::unique_ptr<Work> broadcast(const at::Tensor& tensor,
                                                        std::int64_t root) = 0;
  [[nodiscard]] virtual std::unique_ptr<Work> send(const at::Tensor& tensor, std::int64_t peer) = 0;
  [[nodiscard]] virtual std::unique_ptr<Work> receive(const at::Tensor& tensor,
                                                      std::int64_t peer) = 0;
  virtual void barrier() = 0;
};

template <>
class Remote<Work> : public kit::RemoteBase<Work, mt_work_v1> {
 public:
  static constexpr const char* id = "mortise/work/1";
  using Methods = kit::Methods<&Work::wait>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void wait() override { call(&Table::wait, &Work::wait); }
};

template <>
class Remote<Communicator> : public kit::RemoteBase<Communicator, mt_communicator_v1> {
 public:
  static constexpr const char* id = "mortise/communicator/1";
  using Methods =
      kit::Methods<&Communicator::rank, &Communicator::size, &Communicator::supports,
                   &Communicator::all_gather, &Communicator::reduce_scatter,
                   &Communicator::reduce_scatter_ordered, &Communicator::all_to_all,
                   &Communicator::all_to_all_v, &Communicator::all_reduce, &Communicator::broadcast,
                   &Communicator::send, &Communicator::receive, &Communicator::barrier>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::int64_t rank() const override { return call(&Table::rank, &Communicator::rank); }
  std::int64_t size() const override { return call(&Table::size, &Communicator::size); }
  bool supports(std::string_view capability) const override {
    return call(&Table::supports, &Communicator::supports, capability);
  }
  std::unique_ptr<Work> all_gather(const at::Tensor& output, const at::Tensor& input) override {
    return call(&Table::all_gather, &Communicator::all_gather, output, input);
  }
  std::unique_ptr<Work> reduce_scatter(const at::Tensor& output, const at::Tensor& input) override {
    return call(&Table::reduce_scatter, &Communicator::reduce_scatter, output, input);
  }
  std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& accumulator,
                                               const at::Tensor& input) override {
    return call(&Table::reduce_scatter_ordered, &Communicator::reduce_scatter_ordered, accumulator,
                input);
  }
  std::unique_ptr<Work> all_to_all(const at::Tensor& output, const at::Tensor& input) override {
    return call(&Table::all_to_all, &Communicator::all_to_all, output, input);
  }
  std::unique_ptr<Work> all_to_all_v(const at::Tensor& output, const at::Tensor& input,
                                     std::span<const std::int64_t> output_sizes,
                                     std::span<const std::int64_t> input_sizes) override {
    return call(&Table::all_to_all_v, &Communicator::all_to_all_v, output, input, output_sizes,
                input_sizes);
  }
  std::unique_ptr<Work> all_reduce(const at::Tensor& tensor, ReduceOp operation) override {
    return call(&Table::all_reduce, &Communicator::all_reduce, tensor, operation);
  }
  std::unique_ptr<Work> broadcast(const at::Tensor& tensor, std::int64_t root) override {
    return call(&Table::broadcast, &Communicator::broadcast, tensor, root);
  }
  std::unique_ptr<Work> send(const at::Tensor& tensor, std::int64_t peer) override {
    return call(&Table::send, &Communicator::send, tensor, peer);
  }
  std::unique_ptr<Work> receive(const at::Tensor& tensor, std::int64_t peer) override {
    return call(&Table::receive, &Communicator::receive, tensor, peer);
  }
  void barrier() override { call(&Table::barrier, &Communicator::barrier); }
};

}  // namespace mortise
