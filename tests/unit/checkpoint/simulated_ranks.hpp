#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "host/checkpoint/checkpoint_writer.hpp"

namespace mortise::tests {

// Threads that stand for the ranks of a run and gather texts among themselves.
class SimulatedRanks {
 public:
  explicit SimulatedRanks(std::size_t ranks) : texts_(ranks) {}

  // Runs `work` on every rank; what each one threw, null for none.
  std::vector<std::exception_ptr> run(const std::function<void(host::SavingRanks)>& work) {
    std::vector<std::exception_ptr> thrown(texts_.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank != texts_.size(); ++rank)
      threads.emplace_back([&, rank] {
        try {
          work(ranks_of(rank));
        } catch (...) {
          thrown[rank] = std::current_exception();
        }
      });
    for (std::thread& thread : threads) thread.join();
    return thrown;
  }

 private:
  host::SavingRanks ranks_of(std::size_t rank) {
    return {std::int64_t(rank), std::int64_t(texts_.size()),
            [this, rank](const std::string& mine) { return gather(rank, mine); }};
  }

  std::vector<std::string> gather(std::size_t rank, const std::string& mine) {
    std::unique_lock lock(mutex_);
    texts_[rank] = mine;
    const std::size_t round = round_;
    if (++arrived_ == texts_.size()) {
      gathered_ = texts_;
      arrived_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round_ != round; });
    }
    return gathered_;
  }

  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<std::string> texts_, gathered_;
  std::size_t arrived_ = 0, round_ = 0;
};

}  // namespace mortise::tests
