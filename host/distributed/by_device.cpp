#include "host/distributed/by_device.hpp"

#include <utility>

namespace mortise::host {
namespace {

class ByDevice final : public Communicator {
 public:
  ByDevice(std::unique_ptr<Communicator> cpu, std::unique_ptr<Communicator> device)
      : cpu_(std::move(cpu)), device_(std::move(device)) {}

  std::int64_t rank() const override { return cpu_->rank(); }
  std::int64_t size() const override { return cpu_->size(); }
  bool supports(std::string_view capability) const override {
    return device_->supports(capability);
  }
  std::unique_ptr<Work> all_gather(const at::Tensor& output, const at::Tensor& input) override {
    return of(input).all_gather(output, input);
  }
  std::unique_ptr<Work> reduce_scatter(const at::Tensor& output, const at::Tensor& input) override {
    return of(input).reduce_scatter(output, input);
  }
  std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& accumulator,
                                               const at::Tensor& input) override {
    return of(input).reduce_scatter_ordered(accumulator, input);
  }
  std::unique_ptr<Work> all_to_all(const at::Tensor& output, const at::Tensor& input) override {
    return of(input).all_to_all(output, input);
  }
  std::unique_ptr<Work> all_to_all_v(const at::Tensor& output, const at::Tensor& input,
                                     std::span<const std::int64_t> output_sizes,
                                     std::span<const std::int64_t> input_sizes) override {
    return of(input).all_to_all_v(output, input, output_sizes, input_sizes);
  }
  std::unique_ptr<Work> all_reduce(const at::Tensor& tensor, ReduceOp operation) override {
    return of(tensor).all_reduce(tensor, operation);
  }
  std::unique_ptr<Work> broadcast(const at::Tensor& tensor, std::int64_t root) override {
    return of(tensor).broadcast(tensor, root);
  }
  std::unique_ptr<Work> send(const at::Tensor& tensor, std::int64_t peer) override {
    return of(tensor).send(tensor, peer);
  }
  std::unique_ptr<Work> receive(const at::Tensor& tensor, std::int64_t peer) override {
    return of(tensor).receive(tensor, peer);
  }
  void barrier() override { cpu_->barrier(); }

 private:
  Communicator& of(const at::Tensor& tensor) const { return tensor.is_cpu() ? *cpu_ : *device_; }

  std::unique_ptr<Communicator> cpu_, device_;
};

}  // namespace

std::unique_ptr<Communicator> by_device(std::unique_ptr<Communicator> cpu,
                                        std::unique_ptr<Communicator> device) {
  return std::make_unique<ByDevice>(std::move(cpu), std::move(device));
}

}  // namespace mortise::host
