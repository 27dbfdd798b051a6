#include "host/distributed/watched_communicator.hpp"

#include <map>
#include <utility>

#include "host/distributed/collective_time.hpp"
#include "host/distributed/whereabouts.hpp"

namespace mortise::host {
namespace {

// What passes while it lives is spent in a call. One that throws leaves behind what it waited in.
class InCall {
 public:
  explicit InCall(const AwaitedCall& call) {
    whereabouts().wait_in(call, timed_.start().time_since_epoch().count());
  }
  void done() const { whereabouts().go_on(); }

 private:
  InCollective timed_;
};

class WatchedWork final : public Work {
 public:
  WatchedWork(std::unique_ptr<Work> inner, const AwaitedCall& call)
      : inner_(std::move(inner)), call_(call) {}
  ~WatchedWork() override {
    try {
      wait();
    } catch (const std::exception&) {  // nobody is left to be told
    }
  }
  void wait() override {
    const std::unique_ptr<Work> inner = std::exchange(inner_, nullptr);
    if (inner == nullptr) return;
    const InCall waiting(call_);
    inner->wait();
    waiting.done();
  }

 private:
  std::unique_ptr<Work> inner_;
  AwaitedCall call_;
};

// The calls of a group, or on the way from one of its ranks to another.
class Calls {
 public:
  Calls(std::uint64_t id, const std::string& label, std::vector<std::int64_t> ranks)
      : place_(whereabouts().begin_trace(id, label)), ranks_(std::move(ranks)) {
    if (place_ >= 0) return;
    own_ = std::make_unique<CallTrace>();
    own_->begin(id, label);
  }
  AwaitedCall add(const Call& call) {
    return {call.operation, place_, trace().add(call), call.bytes};
  }
  OwnCall own(const Call& call, std::uint64_t number, std::int64_t rank) {
    return {trace(), number, call, rank, ranks_};
  }

 private:
  CallTrace& trace() { return own_ != nullptr ? *own_ : whereabouts().traces[place_]; }

  int place_;
  std::vector<std::int64_t> ranks_;
  std::unique_ptr<CallTrace> own_;  // where there is no room in whereabouts
};

class WatchedCommunicator final : public Communicator {
 public:
  WatchedCommunicator(std::unique_ptr<Communicator> inner, GroupName group,
                      std::shared_ptr<CallOrder> order)
      : inner_(std::move(inner)),
        group_(std::move(group)),
        order_(std::move(order)),
        all_(id(0, 0), group_.label, group_.ranks) {}

  std::int64_t rank() const override { return inner_->rank(); }
  std::int64_t size() const override { return inner_->size(); }
  bool supports(std::string_view capability) const override { return inner_->supports(capability); }

  std::unique_ptr<Work> all_gather(const at::Tensor& output, const at::Tensor& input) override {
    return together({Operation::all_gather, bytes_of(output)},
                    [&] { return inner_->all_gather(output, input); });
  }
  std::unique_ptr<Work> reduce_scatter(const at::Tensor& output, const at::Tensor& input) override {
    return together({Operation::reduce_scatter, bytes_of(input)},
                    [&] { return inner_->reduce_scatter(output, input); });
  }
  std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& accumulator,
                                               const at::Tensor& input) override {
    return together({Operation::reduce_scatter_ordered, bytes_of(input)},
                    [&] { return inner_->reduce_scatter_ordered(accumulator, input); });
  }
  std::unique_ptr<Work> all_to_all(const at::Tensor& output, const at::Tensor& input) override {
    return together({Operation::all_to_all, bytes_of(input)},
                    [&] { return inner_->all_to_all(output, input); });
  }
  std::unique_ptr<Work> all_to_all_v(const at::Tensor& output, const at::Tensor& input,
                                     std::span<const std::int64_t> output_sizes,
                                     std::span<const std::int64_t> input_sizes) override {
    return together({Operation::all_to_all_v, 0},
                    [&] { return inner_->all_to_all_v(output, input, output_sizes, input_sizes); });
  }
  std::unique_ptr<Work> all_reduce(const at::Tensor& tensor, ReduceOp operation) override {
    return together({Operation::all_reduce, bytes_of(tensor)},
                    [&] { return inner_->all_reduce(tensor, operation); });
  }
  std::unique_ptr<Work> broadcast(const at::Tensor& tensor, std::int64_t root) override {
    return together({Operation::broadcast, bytes_of(tensor)},
                    [&] { return inner_->broadcast(tensor, root); });
  }
  std::unique_ptr<Work> send(const at::Tensor& tensor, std::int64_t peer) override {
    return start(between(rank(), peer), {Operation::send, bytes_of(tensor)}, Operation::send,
                 [&] { return inner_->send(tensor, peer); });
  }
  std::unique_ptr<Work> receive(const at::Tensor& tensor, std::int64_t peer) override {
    return start(between(peer, rank()), {Operation::send, bytes_of(tensor)}, Operation::receive,
                 [&] { return inner_->receive(tensor, peer); });
  }
  void barrier() override {
    together({Operation::barrier, 0}, [&] {
      inner_->barrier();
      return std::unique_ptr<Work>();
    });
  }

 private:
  static std::int64_t bytes_of(const at::Tensor& tensor) { return std::int64_t(tensor.nbytes()); }

  // Equal on all ranks of the group, and for no other; `from` and `to` are places in it, counted
  // from 1, or 0.
  std::uint64_t id(std::int64_t from, std::int64_t to) const {
    return std::uint64_t(group_.number + 1) << 48 | std::uint64_t(group_.ranks.front()) << 32 |
           std::uint64_t(from) << 16 | std::uint64_t(to);
  }
  std::int64_t in_run(std::int64_t place) const { return group_.ranks.at(std::size_t(place)); }

  // Of what is sent from one place in the group to another.
  Calls& between(std::int64_t from, std::int64_t to) {
    auto& calls = between_[{from, to}];
    if (calls == nullptr)
      calls = std::make_unique<Calls>(id(from + 1, to + 1),
                                      group_.label + " from " + std::to_string(in_run(from)) +
                                          " to " + std::to_string(in_run(to)),
                                      std::vector<std::int64_t>{in_run(from), in_run(to)});
    return *calls;
  }

  template <class Begin>
  std::unique_ptr<Work> together(const Call& call, Begin begin) {
    return start(all_, call, call.operation, begin);
  }
  template <class Begin>
  std::unique_ptr<Work> start(Calls& calls, const Call& call, Operation here, Begin begin) {
    AwaitedCall awaited = calls.add(call);
    awaited.operation = here;
    const InCall starting(awaited);
    if (order_ != nullptr) order_->require_same(calls.own(call, awaited.number, group_.own));
    std::unique_ptr<Work> work = begin();
    starting.done();
    return work == nullptr ? nullptr : std::make_unique<WatchedWork>(std::move(work), awaited);
  }

  std::unique_ptr<Communicator> inner_;
  GroupName group_;
  std::shared_ptr<CallOrder> order_;
  Calls all_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<Calls>> between_;
};

}  // namespace

std::unique_ptr<Communicator> watched(std::unique_ptr<Communicator> inner, GroupName group,
                                      std::shared_ptr<CallOrder> order) {
  if (group.ranks.size() == 1) return inner;
  return std::make_unique<WatchedCommunicator>(std::move(inner), std::move(group),
                                               std::move(order));
}

}  // namespace mortise::host
