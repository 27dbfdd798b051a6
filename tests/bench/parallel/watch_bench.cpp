// What it costs a call of a group to be watched, and to be compared with the other rank's
// (run.check: collectives) in shared memory and through a store. The communicator behind it does
// nothing; two processes make the same calls.
//
//   watch_bench [CALLS]

#include <ATen/ops/zeros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "host/distributed/rendezvous.hpp"
#include "host/distributed/watched_communicator.hpp"
#include "host/distributed/whereabouts.hpp"

namespace {

using namespace mortise;

struct DoneWork final : Work {
  void wait() override {}
};

struct Nothing final : Communicator {
  using T = const at::Tensor&;
  using Sizes = std::span<const std::int64_t>;
  using W = std::unique_ptr<Work>;
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 2; }
  bool supports(std::string_view) const override { return false; }
  W all_gather(T, T) override { return std::make_unique<DoneWork>(); }
  W reduce_scatter(T, T) override { return std::make_unique<DoneWork>(); }
  W reduce_scatter_ordered(T, T) override { return std::make_unique<DoneWork>(); }
  W all_to_all(T, T) override { return std::make_unique<DoneWork>(); }
  W all_to_all_v(T, T, Sizes, Sizes) override { return std::make_unique<DoneWork>(); }
  W all_reduce(T, ReduceOp) override { return std::make_unique<DoneWork>(); }
  W broadcast(T, std::int64_t) override { return std::make_unique<DoneWork>(); }
  W send(T, std::int64_t) override { return std::make_unique<DoneWork>(); }
  W receive(T, std::int64_t) override { return std::make_unique<DoneWork>(); }
  void barrier() override {}
};

// Nanoseconds of a call that is started and waited for.
double time_of(Communicator& group, int calls) {
  const at::Tensor tensor = at::zeros({1024});
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i != calls; ++i) group.all_reduce(tensor, ReduceOp::sum)->wait();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
             .count() /
         calls;
}

std::unique_ptr<Communicator> group(int rank, std::int64_t number,
                                    std::shared_ptr<host::CallOrder> order) {
  return host::watched(std::make_unique<Nothing>(), {"dp", number, {0, 1}, rank}, std::move(order));
}

// Rank 1 is a child that makes the same calls.
void measure(const char* what, std::int64_t number, int calls,
             const std::function<std::shared_ptr<host::CallOrder>(int)>& order) {
  const pid_t child = fork();
  const int rank = child == 0;
  const double nanoseconds = time_of(*group(rank, number, order(rank)), calls);
  if (rank == 1) _exit(0);
  waitpid(child, nullptr, 0);
  std::printf("%-40s %10.0f ns a call\n", what, nanoseconds);
}

}  // namespace

int main(int count, char** arguments) {
  const int calls = count > 1 ? std::atoi(arguments[1]) : 200000;
  Nothing plain;
  std::printf("%-40s %10.0f ns a call\n", "not watched", time_of(plain, calls));
  measure("watched", 1, calls, [](int) { return nullptr; });
  const host::StoreServer server(2);
  measure("watched, compared through a store", 2, calls / 100, [&](int rank) {
    host::RankEnvironment ranks;
    ranks.rank = rank;
    ranks.size = 2;
    ranks.master_port = server.port();
    ranks.store_is_elsewhere = true;
    return host::make_call_order(host::join(ranks, std::chrono::seconds(20)));
  });
  const host::SharedWhereabouts shared(2);
  const std::string segment = std::to_string(shared.segment());
  measure("watched, compared in shared memory", 3, calls, [&](int rank) {
    setenv(host::kWhereaboutsVariable, segment.c_str(), 1);
    host::share_whereabouts(rank, 2);
    return host::make_call_order(nullptr);
  });
}
