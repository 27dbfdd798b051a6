#include "communicator.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAStream.h>

#include <functional>
#include <mortise/parallel/collective_arguments.hpp>
#include <utility>

namespace mortise_nccl {
namespace {

using mortise::Error;
using mortise::ErrorCode;
using mortise::ReduceOp;
using mortise::TensorList;
using mortise::Work;
namespace collective = mortise::collective;

ncclDataType_t type_of(const char* operation, const at::Tensor& t) {
  switch (t.scalar_type()) {
    case at::kFloat:
      return ncclFloat32;
    case at::kDouble:
      return ncclFloat64;
    case at::kLong:
      return ncclInt64;
    case at::kInt:
      return ncclInt32;
    case at::kByte:
    case at::kBool:
      return ncclUint8;
    case at::kHalf:
      return ncclFloat16;
    case at::kBFloat16:
      return ncclBfloat16;
    default:
      throw Error(ErrorCode::bad_argument, std::string(operation) +
                                               ": NCCL carries no tensors of " +
                                               std::string(c10::toString(t.scalar_type())));
  }
}

std::size_t count_of(const at::Tensor& t) { return std::size_t(t.numel()); }
char* at_element(const at::Tensor& t, std::int64_t element) {
  return static_cast<char*>(t.data_ptr()) + element * std::int64_t(t.element_size());
}

// The tensors stay until the current stream waits for the call: what the allocator then gives to
// others is used after it.
class NcclWork final : public Work {
 public:
  NcclWork(const char* operation, std::shared_ptr<Lane> lane, Lane::Ticket ticket, TensorList kept,
           std::function<void()> finish)
      : operation_(operation),
        lane_(std::move(lane)),
        ticket_(ticket),
        kept_(std::move(kept)),
        finish_(std::move(finish)) {}
  ~NcclWork() override {
    try {
      wait();
    } catch (const std::exception&) {  // nobody is left to be told
    }
  }
  void wait() override {
    const std::shared_ptr<Lane> lane = std::exchange(lane_, nullptr);
    if (lane == nullptr) return;
    const auto finish = std::exchange(finish_, {});
    const TensorList kept = std::exchange(kept_, {});
    lane->finish(operation_, ticket_);
    if (finish) finish();
  }

 private:
  const char* operation_;
  std::shared_ptr<Lane> lane_;
  Lane::Ticket ticket_;
  TensorList kept_;
  std::function<void()> finish_;
};

class NcclCommunicator final : public mortise::Communicator {
 public:
  NcclCommunicator(Lanes lanes, std::int64_t rank, std::int64_t size)
      : lanes_(std::move(lanes)), rank_(rank), size_(size) {}

  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return size_; }
  bool supports(std::string_view capability) const override {
    return capability == "native_reduce_scatter";
  }

  std::unique_ptr<Work> all_gather(const at::Tensor& output, const at::Tensor& input) override {
    check_pair("all_gather", output, input, size_);
    const ncclDataType_t type = type_of("all_gather", input);
    return start("all_gather", lanes_.all, {output, input}, [&](ncclComm_t c, cudaStream_t s) {
      check(ncclAllGather(input.data_ptr(), output.data_ptr(), count_of(input), type, c, s),
            "ncclAllGather");
    });
  }
  std::unique_ptr<Work> reduce_scatter(const at::Tensor& output, const at::Tensor& input) override {
    check_pair("reduce_scatter", input, output, size_);
    const ncclDataType_t type = type_of("reduce_scatter", input);
    return start("reduce_scatter", lanes_.all, {output, input}, [&](ncclComm_t c, cudaStream_t s) {
      check(ncclReduceScatter(input.data_ptr(), output.data_ptr(), count_of(output), type, ncclSum,
                              c, s),
            "ncclReduceScatter");
    });
  }
  std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& accumulator,
                                               const at::Tensor& input) override {
    check_pair("reduce_scatter_ordered", input, accumulator, size_);
    const at::Tensor parts = at::empty_like(input);
    const auto add_in_rank_order = [accumulator, parts, size = size_] {
      const at::NoGradGuard no_grad;
      for (std::int64_t r = 0; r != size; ++r)
        accumulator.add_(parts.narrow(0, r * accumulator.numel(), accumulator.numel()));
    };
    return exchange("reduce_scatter_ordered", parts, input, equal_parts(input), equal_parts(input),
                    add_in_rank_order);
  }
  std::unique_ptr<Work> all_to_all(const at::Tensor& output, const at::Tensor& input) override {
    check_pair("all_to_all", output, input, 1);
    collective::require_equal_parts("all_to_all", input, size_);
    return exchange("all_to_all", output, input, equal_parts(output), equal_parts(input));
  }
  std::unique_ptr<Work> all_to_all_v(const at::Tensor& output, const at::Tensor& input,
                                     std::span<const std::int64_t> output_sizes,
                                     std::span<const std::int64_t> input_sizes) override {
    collective::require_parts("all_to_all_v", output, output_sizes, size_);
    collective::require_parts("all_to_all_v", input, input_sizes, size_);
    require_cuda("all_to_all_v", output);
    require_cuda("all_to_all_v", input);
    return exchange("all_to_all_v", output, input, {output_sizes.begin(), output_sizes.end()},
                    {input_sizes.begin(), input_sizes.end()});
  }
  std::unique_ptr<Work> all_reduce(const at::Tensor& tensor, ReduceOp operation) override {
    check_one("all_reduce", tensor);
    const ncclDataType_t type = type_of("all_reduce", tensor);
    const ncclRedOp_t op = operation == ReduceOp::sum   ? ncclSum
                           : operation == ReduceOp::max ? ncclMax
                                                        : ncclMin;
    return start("all_reduce", lanes_.all, {tensor}, [&](ncclComm_t c, cudaStream_t s) {
      check(ncclAllReduce(tensor.data_ptr(), tensor.data_ptr(), count_of(tensor), type, op, c, s),
            "ncclAllReduce");
    });
  }
  std::unique_ptr<Work> broadcast(const at::Tensor& tensor, std::int64_t root) override {
    check_one("broadcast", tensor);
    collective::require_rank("broadcast", root, size_);
    const ncclDataType_t type = type_of("broadcast", tensor);
    return start("broadcast", lanes_.all, {tensor}, [&](ncclComm_t c, cudaStream_t s) {
      check(ncclBroadcast(tensor.data_ptr(), tensor.data_ptr(), count_of(tensor), type, int(root),
                          c, s),
            "ncclBroadcast");
    });
  }
  std::unique_ptr<Work> send(const at::Tensor& tensor, std::int64_t peer) override {
    check_message("send", tensor, peer);
    const ncclDataType_t type = type_of("send", tensor);
    return start("send", peer > rank_ ? lanes_.up : lanes_.down, {tensor},
                 [&](ncclComm_t c, cudaStream_t s) {
                   check(ncclSend(tensor.data_ptr(), count_of(tensor), type, int(peer), c, s),
                         "ncclSend");
                 });
  }
  std::unique_ptr<Work> receive(const at::Tensor& tensor, std::int64_t peer) override {
    check_message("receive", tensor, peer);
    const ncclDataType_t type = type_of("receive", tensor);
    return start("receive", peer < rank_ ? lanes_.up : lanes_.down, {tensor},
                 [&](ncclComm_t c, cudaStream_t s) {
                   check(ncclRecv(tensor.data_ptr(), count_of(tensor), type, int(peer), c, s),
                         "ncclRecv");
                 });
  }
  // The one call that the host waits for.
  void barrier() override {
    const at::Tensor token = at::zeros({1}, at::TensorOptions(at::kCUDA).dtype(at::kInt));
    all_reduce(token, ReduceOp::max)->wait();
    c10::cuda::getCurrentCUDAStream().synchronize();
  }

 private:
  static void require_cuda(const char* operation, const at::Tensor& tensor) {
    if (!tensor.is_cuda())
      throw Error(ErrorCode::bad_argument,
                  std::string(operation) + ": NCCL carries tensors of a GPU");
  }
  static void check_pair(const char* operation, const at::Tensor& big, const at::Tensor& small,
                         std::int64_t times) {
    collective::require_fit(operation, big, small, times);
    require_cuda(operation, big);
    require_cuda(operation, small);
  }
  static void check_one(const char* operation, const at::Tensor& tensor) {
    collective::require_contiguous(operation, tensor);
    require_cuda(operation, tensor);
  }
  void check_message(const char* operation, const at::Tensor& tensor, std::int64_t peer) const {
    check_one(operation, tensor);
    collective::require_rank(operation, peer, size_);
    if (peer == rank_)
      throw Error(ErrorCode::bad_argument,
                  std::string(operation) + ": a rank sends nothing to itself");
  }
  std::vector<std::int64_t> equal_parts(const at::Tensor& tensor) const {
    return std::vector<std::int64_t>(std::size_t(size_), tensor.numel() / size_);
  }
  static std::unique_ptr<Work> start(const char* operation, const std::shared_ptr<Lane>& lane,
                                     TensorList tensors,
                                     const std::function<void(ncclComm_t, cudaStream_t)>& call,
                                     std::function<void()> finish = {}) {
    const Lane::Ticket ticket = lane->start(operation, call);
    return std::make_unique<NcclWork>(operation, lane, ticket, std::move(tensors),
                                      std::move(finish));
  }
  // Part r of `input` goes to rank r; what comes from rank r is part r of `output`.
  std::unique_ptr<Work> exchange(const char* operation, const at::Tensor& output,
                                 const at::Tensor& input, const std::vector<std::int64_t>& out,
                                 const std::vector<std::int64_t>& in,
                                 std::function<void()> finish = {}) {
    const ncclDataType_t type = type_of(operation, input);
    const auto call = [&](ncclComm_t c, cudaStream_t s) {
      std::int64_t from = 0, to = 0;
      check(ncclGroupStart(), "ncclGroupStart");
      for (std::int64_t r = 0; r != size_; ++r) {
        const std::int64_t sent = in[std::size_t(r)], taken = out[std::size_t(r)];
        check(ncclSend(at_element(input, from), std::size_t(sent), type, int(r), c, s), "ncclSend");
        check(ncclRecv(at_element(output, to), std::size_t(taken), type, int(r), c, s), "ncclRecv");
        from += sent, to += taken;
      }
      check(ncclGroupEnd(), "ncclGroupEnd");
    };
    return start(operation, lanes_.all, {output, input}, call, std::move(finish));
  }

  Lanes lanes_;
  std::int64_t rank_, size_;
};

}  // namespace

std::unique_ptr<mortise::Communicator> make_communicator(Lanes lanes, std::int64_t rank,
                                                         std::int64_t size) {
  return std::make_unique<NcclCommunicator>(std::move(lanes), rank, size);
}

}  // namespace mortise_nccl
