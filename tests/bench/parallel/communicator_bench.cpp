// Times of collectives on ranks of this host: communicator_bench [RANKS], one thread each. Prints a
// table of milliseconds, the median of many calls, as rank 0 sees them.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>

#include "tests/distributed/connected_rank.hpp"
#include "tests/training/forked_ranks.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using Clock = std::chrono::steady_clock;

template <class F>
double median_ms(Communicator& c, int times, F call) {
  std::vector<double> all;
  for (int i = 0; i != times; ++i) {
    c.barrier();
    const Clock::time_point start = Clock::now();
    call();
    all.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::nth_element(all.begin(), all.begin() + times / 2, all.end());
  return all[std::size_t(times / 2)];
}

struct Times {
  double gather, reduce, sum;
};

Times measure(Communicator& c, std::int64_t shard_bytes, int times) {
  const std::int64_t count = shard_bytes / 4;
  const at::Tensor shard = at::ones({count}), full = at::ones({count * c.size()}),
                   small = at::ones({1}, at::kDouble);
  const auto run = [&] {
    return Times{
        median_ms(c, times, [&] { c.all_gather(full, shard)->wait(); }),
        median_ms(c, times, [&] { c.reduce_scatter_ordered(shard.zero_(), full)->wait(); }),
        median_ms(c, times, [&] { c.all_reduce(small, ReduceOp::max)->wait(); })};
  };
  run();  // memory is there afterwards
  return run();
}

}  // namespace

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 2;
  const TemporaryFolder folder;
  const std::vector<int> codes = run_forked(size, [&](int rank) {
    at::set_num_threads(1);
    ConnectedRank connected(rank, size, (folder.path() / "store").string());
    const auto shared = connected.shared_memory(), gloo = connected.gloo();
    if (rank == 0)
      std::printf(
          "%d ranks, ms        all_gather         reduce_scatter_ordered  all_reduce of 8 bytes\n"
          "shard            gloo shared memory      gloo shared memory      gloo shared memory\n",
          size);
    for (const std::int64_t bytes :
         {std::int64_t(64) << 10, std::int64_t(1) << 20, std::int64_t(8) << 20}) {
      const int times = bytes > 1 << 20 ? 60 : 300;
      const Times g = measure(*gloo, bytes, times), s = measure(*shared, bytes, times);
      if (rank == 0)
        std::printf("%5lld KiB     %8.3f      %8.3f  %8.3f      %8.3f  %8.3f      %8.3f\n",
                    static_cast<long long>(bytes >> 10), g.gather, s.gather, g.reduce, s.reduce,
                    g.sum, s.sum);
    }
  });
  return *std::max_element(codes.begin(), codes.end());
}
