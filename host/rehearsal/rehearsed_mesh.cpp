#include "host/rehearsal/rehearsed_mesh.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>

namespace mortise::host {
namespace {

// What a call needs until somebody waits for it.
class KeptWork final : public Work {
 public:
  explicit KeptWork(at::Tensor kept = {}) : kept_(std::move(kept)) {}
  void wait() override { kept_.reset(); }

 private:
  at::Tensor kept_;
};

class RehearsedCommunicator final : public Communicator {
 public:
  RehearsedCommunicator(CallKind kind, std::int64_t rank, Traffic*& traffic)
      : kind_(std::move(kind)), rank_(rank), traffic_(traffic) {}
  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return kind_.ranks; }
  bool supports(std::string_view) const override { return false; }

  std::unique_ptr<Work> all_gather(const at::Tensor& output, const at::Tensor& input) override {
    const at::NoGradGuard no_grad;
    output.view({size(), input.numel()}).copy_(input.view({1, input.numel()}));
    return count("all_gather", output);
  }
  std::unique_ptr<Work> reduce_scatter(const at::Tensor& output, const at::Tensor& input) override {
    const at::NoGradGuard no_grad;
    output.copy_(input.narrow(0, rank_ * output.numel(), output.numel()));
    return count("reduce_scatter", input);
  }
  // Takes what the parts of all ranks need until they are added.
  std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& accumulator,
                                               const at::Tensor& input) override {
    const at::NoGradGuard no_grad;
    accumulator.add_(input.narrow(0, rank_ * accumulator.numel(), accumulator.numel()));
    count("reduce_scatter_ordered", input);
    return std::make_unique<KeptWork>(size() > 1 ? at::empty_like(input) : at::Tensor());
  }
  std::unique_ptr<Work> all_to_all(const at::Tensor& output, const at::Tensor& input) override {
    const at::NoGradGuard no_grad;
    output.copy_(input);
    return count("all_to_all", input);
  }
  std::unique_ptr<Work> all_to_all_v(const at::Tensor& output, const at::Tensor& input,
                                     std::span<const std::int64_t>,
                                     std::span<const std::int64_t>) override {
    const at::NoGradGuard no_grad;
    output.zero_();
    return count("all_to_all_v", input);
  }
  std::unique_ptr<Work> all_reduce(const at::Tensor& tensor, ReduceOp) override {
    return count("all_reduce", tensor);
  }
  std::unique_ptr<Work> broadcast(const at::Tensor& tensor, std::int64_t) override {
    return count("broadcast", tensor);
  }
  std::unique_ptr<Work> send(const at::Tensor& tensor, std::int64_t) override {
    return count("send", tensor);
  }
  std::unique_ptr<Work> receive(const at::Tensor& tensor, std::int64_t) override {
    const at::NoGradGuard no_grad;
    tensor.zero_();
    return count("receive", tensor);
  }
  void barrier() override {}

 private:
  std::unique_ptr<Work> count(const char* operation, const at::Tensor& whole) {
    if (size() > 1 && traffic_ != nullptr) {
      kind_.operation = operation;
      CallCount& of_kind = (*traffic_)[kind_];
      ++of_kind.calls;
      of_kind.bytes += std::int64_t(whole.nbytes());
    }
    return std::make_unique<KeptWork>();
  }

  CallKind kind_;
  std::int64_t rank_;
  Traffic*& traffic_;
};

}  // namespace

void add(Traffic& to, const Traffic& more) {
  for (const auto& [kind, count] : more) {
    to[kind].calls += count.calls;
    to[kind].bytes += count.bytes;
  }
}

std::unique_ptr<Communicator> RehearsedMesh::communicator(std::string_view axes) {
  std::vector<std::string_view> asked;
  for (std::string_view rest = axes; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    asked.push_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  CallKind kind;
  std::int64_t rank = 0;
  for (const MeshAxis& axis : axes_) {
    if (std::find(asked.begin(), asked.end(), axis.name) == asked.end()) continue;
    kind.ranks *= axis.size;
    rank = rank * axis.size + axis.rank;
    if (axis.size > 1) kind.axes += (kind.axes.empty() ? "" : ",") + axis.name;
  }
  return std::make_unique<RehearsedCommunicator>(std::move(kind), rank, traffic_);
}

}  // namespace mortise::host
