#pragma once

// A mesh of one rank, for tests of what asks for one: collectives with nobody else.

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <mortise/parallel/mesh.hpp>

namespace mortise::conformance {

class OneRankCommunicator final : public Communicator {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 1; }
  bool supports(std::string_view) const override { return false; }
  std::unique_ptr<Work> all_gather(const at::Tensor& output, const at::Tensor& input) override {
    return copied(output, input);
  }
  std::unique_ptr<Work> reduce_scatter(const at::Tensor& output, const at::Tensor& input) override {
    return copied(output, input);
  }
  std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& accumulator,
                                               const at::Tensor& input) override {
    const at::NoGradGuard no_grad;
    accumulator.add_(input);
    return std::make_unique<Done>();
  }
  std::unique_ptr<Work> all_to_all(const at::Tensor& output, const at::Tensor& input) override {
    return copied(output, input);
  }
  std::unique_ptr<Work> all_to_all_v(const at::Tensor& output, const at::Tensor& input,
                                     std::span<const std::int64_t>,
                                     std::span<const std::int64_t>) override {
    return copied(output, input);
  }
  std::unique_ptr<Work> all_reduce(const at::Tensor&, ReduceOp) override {
    return std::make_unique<Done>();
  }
  std::unique_ptr<Work> broadcast(const at::Tensor&, std::int64_t) override {
    return std::make_unique<Done>();
  }
  std::unique_ptr<Work> send(const at::Tensor&, std::int64_t) override { throw nobody(); }
  std::unique_ptr<Work> receive(const at::Tensor&, std::int64_t) override { throw nobody(); }
  void barrier() override {}

 private:
  class Done final : public Work {
   public:
    void wait() override {}
  };
  static std::unique_ptr<Work> copied(const at::Tensor& output, const at::Tensor& input) {
    const at::NoGradGuard no_grad;
    output.copy_(input);
    return std::make_unique<Done>();
  }
  static Error nobody() { return {ErrorCode::bad_argument, "there is no other rank"}; }
};

class OneRankMesh final : public Mesh {
 public:
  std::vector<MeshAxis> axes() const override { return {{"dp", 1, 0}}; }
  std::unique_ptr<Communicator> communicator(std::string_view) override {
    return std::make_unique<OneRankCommunicator>();
  }
};

}  // namespace mortise::conformance
