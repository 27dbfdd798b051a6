#include "host/distributed/communicator.hpp"

#include <ATen/ops/empty_like.h>

#include <cstdlib>
#include <functional>
#include <mortise/parallel/collective_arguments.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <utility>

#include "host/distributed/c10d_store.hpp"
#include "host/distributed/whereabouts.hpp"

namespace mortise::host {
namespace {

using Handle = c10::intrusive_ptr<c10d::Work>;

[[noreturn]] void lost(const char* operation, std::int64_t rank, const std::exception& e) {
  std::string reason = e.what();
  reason = reason.substr(0, reason.find('\n'));
  throw Error(ErrorCode::lost_rank, std::string(operation) + " on rank " + std::to_string(rank) +
                                        " failed: a peer is lost or too late (" + reason + ")");
}

class GlooWork final : public Work {
 public:
  GlooWork(const char* operation, std::int64_t rank, Handle handle, TensorList kept,
           std::function<void()> finish = {})
      : operation_(operation),
        rank_(rank),
        handle_(std::move(handle)),
        kept_(std::move(kept)),
        finish_(std::move(finish)) {}
  ~GlooWork() override {
    try {
      wait();
    } catch (const std::exception&) {  // nobody is left to be told
    }
  }
  void wait() override {
    if (Handle handle = std::exchange(handle_, {}); handle) {
      try {
        handle->wait();
      } catch (const std::exception& e) {
        finish_ = {};
        lost(operation_, rank_, e);
      }
    }
    if (auto finish = std::exchange(finish_, {})) finish();
    kept_.clear();
  }

 private:
  const char* operation_;
  std::int64_t rank_;
  Handle handle_;
  TensorList kept_;
  std::function<void()> finish_;
};

// Arguments are checked before anything is sent: Gloo would end the process.
class GlooCommunicator final : public Communicator {
 public:
  GlooCommunicator(c10::intrusive_ptr<c10d::ProcessGroupGloo> group, std::int64_t rank,
                   std::int64_t size, std::int64_t rank_of_run)
      : group_(std::move(group)), rank_(rank), size_(size), rank_of_run_(rank_of_run) {}

  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return size_; }
  bool supports(std::string_view) const override { return false; }

  std::unique_ptr<Work> all_gather(const at::Tensor& output, const at::Tensor& input) override {
    collective::require_fit("all_gather", output, input, size_);
    if (size_ == 1) return copied(output, input);
    return start("all_gather", {output, input},
                 [&](TensorList& t) { return group_->_allgather_base(t[0], t[1], {}); });
  }
  std::unique_ptr<Work> reduce_scatter(const at::Tensor& output, const at::Tensor& input) override {
    collective::require_fit("reduce_scatter", input, output, size_);
    if (size_ == 1) return copied(output, input);
    return start("reduce_scatter", {output, input},
                 [&](TensorList& t) { return group_->_reduce_scatter_base(t[0], t[1], {}); });
  }
  std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& accumulator,
                                               const at::Tensor& input) override {
    collective::require_fit("reduce_scatter_ordered", input, accumulator, size_);
    if (size_ == 1) {
      accumulator.add_(input);
      return std::make_unique<GlooWork>("", rank_of_run_, Handle{}, TensorList{});
    }
    const at::Tensor parts = at::empty_like(input);
    const auto add_in_rank_order = [accumulator, parts, size = size_] {
      for (std::int64_t r = 0; r != size; ++r)
        accumulator.add_(parts.narrow(0, r * accumulator.numel(), accumulator.numel()));
    };
    return start(
        "reduce_scatter_ordered", {parts, input},
        [&](TensorList& t) { return group_->alltoall_base(t[0], t[1], none_, none_, {}); },
        add_in_rank_order);
  }
  std::unique_ptr<Work> all_to_all(const at::Tensor& output, const at::Tensor& input) override {
    collective::require_fit("all_to_all", output, input, 1);
    collective::require_equal_parts("all_to_all", input, size_);
    if (size_ == 1) return copied(output, input);
    return start("all_to_all", {output, input}, [&](TensorList& t) {
      return group_->alltoall_base(t[0], t[1], none_, none_, {});
    });
  }
  std::unique_ptr<Work> all_to_all_v(const at::Tensor& output, const at::Tensor& input,
                                     std::span<const std::int64_t> output_sizes,
                                     std::span<const std::int64_t> input_sizes) override {
    std::vector<std::int64_t> out(output_sizes.begin(), output_sizes.end());
    std::vector<std::int64_t> in(input_sizes.begin(), input_sizes.end());
    collective::require_parts("all_to_all_v", output, out, size_);
    collective::require_parts("all_to_all_v", input, in, size_);
    if (size_ == 1) return copied(output, input);
    return start("all_to_all_v", {output, input},
                 [&](TensorList& t) { return group_->alltoall_base(t[0], t[1], out, in, {}); });
  }
  std::unique_ptr<Work> all_reduce(const at::Tensor& tensor, ReduceOp operation) override {
    collective::require_contiguous("all_reduce", tensor);
    if (size_ == 1) return done();
    c10d::AllreduceOptions options;
    options.reduceOp = operation == ReduceOp::sum   ? c10d::ReduceOp::SUM
                       : operation == ReduceOp::max ? c10d::ReduceOp::MAX
                                                    : c10d::ReduceOp::MIN;
    return start("all_reduce", {tensor},
                 [&](TensorList& t) { return group_->allreduce(t, options); });
  }
  std::unique_ptr<Work> broadcast(const at::Tensor& tensor, std::int64_t root) override {
    collective::require_contiguous("broadcast", tensor);
    if (size_ == 1) return done();
    c10d::BroadcastOptions options;
    options.rootRank = root;
    return start("broadcast", {tensor},
                 [&](TensorList& t) { return group_->broadcast(t, options); });
  }
  std::unique_ptr<Work> send(const at::Tensor& tensor, std::int64_t peer) override {
    collective::require_contiguous("send", tensor);
    return start("send", {tensor}, [&](TensorList& t) { return group_->send(t, int(peer), 0); });
  }
  std::unique_ptr<Work> receive(const at::Tensor& tensor, std::int64_t peer) override {
    collective::require_contiguous("receive", tensor);
    return start("receive", {tensor}, [&](TensorList& t) { return group_->recv(t, int(peer), 0); });
  }
  void barrier() override {
    if (size_ == 1) return;
    start("barrier", {}, [&](TensorList&) { return group_->barrier({}); })->wait();
  }

 private:
  template <class Start>
  std::unique_ptr<Work> start(const char* operation, TensorList tensors, Start begin,
                              std::function<void()> finish = {}) {
    Handle handle;
    try {
      handle = begin(tensors);
    } catch (const std::exception& e) {
      lost(operation, rank_of_run_, e);
    }
    return std::make_unique<GlooWork>(operation, rank_of_run_, std::move(handle),
                                      std::move(tensors), std::move(finish));
  }
  std::unique_ptr<Work> done() {
    return std::make_unique<GlooWork>("", rank_of_run_, Handle{}, TensorList{});
  }
  std::unique_ptr<Work> copied(const at::Tensor& output, const at::Tensor& input) {
    output.copy_(input);
    return done();
  }

  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  std::int64_t rank_, size_, rank_of_run_;
  std::vector<std::int64_t> none_;
};

std::shared_ptr<::gloo::transport::Device> device_for(bool on_one_host) {
  if (on_one_host) return c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1");
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME"); interface != nullptr)
    return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  return c10d::ProcessGroupGloo::createDefaultDevice();
}

}  // namespace

std::unique_ptr<Communicator> make_communicator(const std::shared_ptr<Rendezvous>& rendezvous,
                                                const GroupRequest& request) {
  const auto size = std::int64_t(request.ranks.size());
  if (size == 1) return std::make_unique<GlooCommunicator>(nullptr, 0, 1, request.own);
  std::int64_t place = 0;
  while (request.ranks.at(std::size_t(place)) != request.own) ++place;
  auto options = c10d::ProcessGroupGloo::Options::create(request.timeout);
  options->devices.push_back(device_for(request.on_one_host));
  options->threads = 1;
  auto& store = dynamic_cast<C10dRendezvous&>(*rendezvous).store;
  whereabouts().wait_in(Operation::connecting);
  try {
    auto group = c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>(request.name, store), int(place), int(size),
        options);
    auto made = std::make_unique<GlooCommunicator>(std::move(group), place, size, request.own);
    made->barrier();  // one that is dropped while a peer still connects would hang the others
    whereabouts().go_on();
    return made;
  } catch (const std::exception& e) {
    lost("connecting", request.own, e);
  }
}

}  // namespace mortise::host
