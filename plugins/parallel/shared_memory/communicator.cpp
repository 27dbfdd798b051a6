#include "communicator.hpp"

#include <ATen/ops/empty_like.h>

#include <cstring>
#include <functional>
#include <mortise/parallel/collective_arguments.hpp>
#include <utility>

#include "ordered_sum.hpp"

namespace mortise_shared_memory {
namespace {

using mortise::ReduceOp;
using mortise::TensorList;
using mortise::Work;
namespace collective = mortise::collective;

char* bytes_of(const at::Tensor& t) { return static_cast<char*>(t.data_ptr()); }
void copy(char* to, const char* from, std::uint64_t bytes) {
  if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
}

// What is left to do when a call is waited for.
class LateWork final : public Work {
 public:
  explicit LateWork(std::function<void()> finish) : finish_(std::move(finish)) {}
  ~LateWork() override {
    try {
      wait();
    } catch (const std::exception&) {  // nobody is left to be told
    }
  }
  void wait() override {
    if (const auto finish = std::exchange(finish_, {})) finish();
  }

 private:
  std::function<void()> finish_;
};

void require_cpu(const char* operation, const at::Tensor& tensor) {
  if (!tensor.is_cpu())
    throw mortise::Error(mortise::ErrorCode::bad_argument,
                         std::string(operation) + ": shared memory carries tensors of the CPU");
}

// Where parts of any size lie in what a rank says: this list first, then the parts.
struct Part {
  std::uint64_t offset, bytes;
};
std::vector<Part> parts_of(std::span<const std::int64_t> sizes, std::uint64_t element) {
  std::vector<Part> parts;
  std::uint64_t offset = sizes.size() * sizeof(Part);
  for (const std::int64_t size : sizes) {
    parts.push_back({offset, std::uint64_t(size) * element});
    offset += parts.back().bytes;
  }
  return parts;
}

// This rank's part of what another said.
const char* part_for(const Group& group, const char* said, std::uint64_t bytes) {
  const Part part = reinterpret_cast<const Part*>(said)[group.rank()];
  if (part.bytes != bytes)
    throw mortise::Error(mortise::ErrorCode::bad_argument,
                         "all_to_all_v: " + std::to_string(bytes) + " bytes are expected where " +
                             std::to_string(part.bytes) + " are sent");
  return said + part.offset;
}

class SharedMemoryCommunicator final : public mortise::Communicator {
 public:
  explicit SharedMemoryCommunicator(std::shared_ptr<Group> group) : group_(std::move(group)) {}

  std::int64_t rank() const override { return group_->rank(); }
  std::int64_t size() const override { return group_->size(); }
  bool supports(std::string_view) const override { return false; }

  std::unique_ptr<Work> all_gather(const at::Tensor& output, const at::Tensor& input) override {
    check("all_gather", output, input, size());
    const std::uint64_t bytes = input.nbytes();
    const Call call = group_->next(Operation::all_gather, bytes);
    say_all(call, input);
    return later([group = group_, call, output, input, bytes] {
      for (std::int64_t r = 0; r != group->size(); ++r) {
        const bool own = r == group->rank();
        copy(bytes_of(output) + std::uint64_t(r) * bytes,
             own ? bytes_of(input) : group->hear(r, call), bytes);
        if (!own) group->taken(r, call);
      }
    });
  }
  std::unique_ptr<Work> reduce_scatter(const at::Tensor& output, const at::Tensor& input) override {
    check("reduce_scatter", input, output, size());
    return reduce_parts(Operation::reduce_scatter, output, input);
  }
  std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& accumulator,
                                               const at::Tensor& input) override {
    check("reduce_scatter_ordered", input, accumulator, size());
    return reduce_parts(Operation::reduce_scatter_ordered, accumulator, input);
  }
  std::unique_ptr<Work> all_to_all(const at::Tensor& output, const at::Tensor& input) override {
    check("all_to_all", output, input, 1);
    collective::require_equal_parts("all_to_all", input, size());
    const Call call = group_->next(Operation::all_to_all, input.nbytes());
    say_to_others(call, input);
    return later([group = group_, call, output, input] {
      const std::uint64_t part = input.nbytes() / std::uint64_t(group->size());
      const std::uint64_t mine = std::uint64_t(group->rank()) * part;
      for (std::int64_t r = 0; r != group->size(); ++r) {
        const bool own = r == group->rank();
        copy(bytes_of(output) + std::uint64_t(r) * part,
             (own ? bytes_of(input) : group->hear(r, call)) + mine, part);
        if (!own) group->taken(r, call);
      }
    });
  }
  std::unique_ptr<Work> all_to_all_v(const at::Tensor& output, const at::Tensor& input,
                                     std::span<const std::int64_t> output_sizes,
                                     std::span<const std::int64_t> input_sizes) override {
    check("all_to_all_v", output, output, 1);
    check("all_to_all_v", input, input, 1);
    collective::require_parts("all_to_all_v", output, output_sizes, size());
    collective::require_parts("all_to_all_v", input, input_sizes, size());
    const std::vector<Part> in = parts_of(input_sizes, input.element_size()),
                            out = parts_of(output_sizes, output.element_size());
    const auto mine = std::size_t(rank());
    if (in[mine].bytes != out[mine].bytes)
      throw mortise::ShapeError("all_to_all_v: a rank gives itself " +
                                std::to_string(input_sizes[mine]) + " elements and takes " +
                                std::to_string(output_sizes[mine]));
    const std::uint64_t list = in.size() * sizeof(Part);
    const Call call = group_->next(Operation::all_to_all_v, list + input.nbytes());
    group_->say(call, size() - 1, [&](char* to) {
      copy(to, reinterpret_cast<const char*>(in.data()), list);
      copy(to + list, bytes_of(input), input.nbytes());
    });
    return later([group = group_, call, output, input, in, out, list] {
      for (std::int64_t r = 0; r != group->size(); ++r) {
        const bool own = r == group->rank();
        const Part part = out[std::size_t(r)];
        copy(bytes_of(output) + part.offset - list,
             own ? bytes_of(input) + in[std::size_t(r)].offset - list
                 : part_for(*group, group->hear(r, call), part.bytes),
             part.bytes);
        if (!own) group->taken(r, call);
      }
    });
  }
  std::unique_ptr<Work> all_reduce(const at::Tensor& tensor, ReduceOp operation) override {
    check("all_reduce", tensor, tensor, 1);
    const Call call = group_->next(Operation::all_reduce, tensor.nbytes());
    say_all(call, tensor);
    return later([group = group_, call, tensor, operation] {
      const at::Tensor own = tensor.view({-1}), sum = at::empty_like(own);
      TensorList parts;
      for (std::int64_t r = 0; r != group->size(); ++r)
        parts.push_back(r == group->rank()
                            ? own
                            : view_of(group->hear(r, call), own.numel(), own.scalar_type()));
      join(sum, parts, operation, false);
      copy(bytes_of(tensor), bytes_of(sum), sum.nbytes());
      for (std::int64_t r = 0; r != group->size(); ++r)
        if (r != group->rank()) group->taken(r, call);
    });
  }
  std::unique_ptr<Work> broadcast(const at::Tensor& tensor, std::int64_t root) override {
    check("broadcast", tensor, tensor, 1);
    collective::require_rank("broadcast", root, size());
    const Call call = group_->next(Operation::broadcast, tensor.nbytes());
    if (root == rank()) {
      say_all(call, tensor);
      return later({});
    }
    return later([group = group_, call, tensor, root] {
      copy(bytes_of(tensor), group->hear(root, call), call.bytes);
      group->taken(root, call);
    });
  }
  std::unique_ptr<Work> send(const at::Tensor& tensor, std::int64_t peer) override {
    check_message("send", tensor, peer);
    const Call call = group_->next_to(peer, tensor.nbytes());
    group_->say(call, 1, [&](char* to) { copy(to, bytes_of(tensor), call.bytes); });
    return later({});
  }
  std::unique_ptr<Work> receive(const at::Tensor& tensor, std::int64_t peer) override {
    check_message("receive", tensor, peer);
    const Call call = group_->next_from(peer, tensor.nbytes());
    return later([group = group_, call, tensor, peer] {
      copy(bytes_of(tensor), group->hear(peer, call), call.bytes);
      group->taken(peer, call);
    });
  }
  void barrier() override {
    const Call call = group_->next(Operation::barrier, 0);
    group_->say(call, size() - 1, {});
    for (std::int64_t r = 0; r != size(); ++r) {
      if (r == rank()) continue;
      group_->hear(r, call);
      group_->taken(r, call);
    }
  }

 private:
  static void check(const char* operation, const at::Tensor& big, const at::Tensor& small,
                    std::int64_t times) {
    require_cpu(operation, big);
    require_cpu(operation, small);
    if (times == 1) collective::require_contiguous(operation, big);
    collective::require_fit(operation, big, small, times);
  }
  void check_message(const char* operation, const at::Tensor& tensor, std::int64_t peer) const {
    check(operation, tensor, tensor, 1);
    collective::require_rank(operation, peer, size());
    if (peer == rank())
      throw mortise::Error(mortise::ErrorCode::bad_argument,
                           std::string(operation) + ": a rank sends nothing to itself");
  }
  static std::unique_ptr<Work> later(std::function<void()> finish) {
    return std::make_unique<LateWork>(std::move(finish));
  }
  void say_all(const Call& call, const at::Tensor& tensor) {
    group_->say(call, size() - 1, [&](char* to) { copy(to, bytes_of(tensor), call.bytes); });
  }
  // All but the own part, which nobody else takes.
  void say_to_others(const Call& call, const at::Tensor& tensor) {
    const std::uint64_t part = call.bytes / std::uint64_t(size());
    const std::uint64_t before = std::uint64_t(rank()) * part, after = before + part;
    group_->say(call, size() - 1, [&](char* to) {
      copy(to, bytes_of(tensor), before);
      copy(to + after, bytes_of(tensor) + after, call.bytes - after);
    });
  }
  // Part `rank` of every rank, in rank order.
  std::unique_ptr<Work> reduce_parts(Operation operation, const at::Tensor& into,
                                     const at::Tensor& input) {
    const Call call = group_->next(operation, input.nbytes());
    say_to_others(call, input);
    return later([group = group_, call, into, input] {
      const std::int64_t count = into.numel(), mine = group->rank() * count;
      TensorList parts;
      for (std::int64_t r = 0; r != group->size(); ++r)
        parts.push_back(r == group->rank() ? input.view({-1}).narrow(0, mine, count)
                                           : view_of(group->hear(r, call) +
                                                         std::uint64_t(mine) * input.element_size(),
                                                     count, into.scalar_type()));
      join(into, parts, ReduceOp::sum, call.operation == Operation::reduce_scatter_ordered);
      for (std::int64_t r = 0; r != group->size(); ++r)
        if (r != group->rank()) group->taken(r, call);
    });
  }

  std::shared_ptr<Group> group_;
};

}  // namespace

std::unique_ptr<mortise::Communicator> make_communicator(std::shared_ptr<Group> group) {
  return std::make_unique<SharedMemoryCommunicator>(std::move(group));
}

}  // namespace mortise_shared_memory
