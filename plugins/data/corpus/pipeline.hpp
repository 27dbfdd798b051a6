#pragma once

// One reader, some workers, one writer that gets the results in the order of reading. Memory is
// bounded: the reader waits while too much is under way.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace mortise::corpus {

// What happens to one job. `read` runs on a thread of its own, what `make_worker` gives on that of
// its worker, everything else on the caller's.
template <class Job, class Result>
struct Stages {
  std::function<std::optional<Job>()> read;                 // nothing: there are no more
  std::function<std::function<Result(Job)>()> make_worker;  // called once for each worker
  std::function<std::int64_t(const Job&)> bytes_of;         // that count against the bound
  std::function<void(Result)> write;
  std::function<bool()> stop;    // asked some times a second
  std::function<void()> cancel;  // `read` is not to wait for input any more
};

template <class Job, class Result>
class Pipeline {
 public:
  // `bytes`: bound of the jobs that are read and not yet written; a larger one goes alone.
  Pipeline(Stages<Job, Result> stages, int workers, std::int64_t bytes)
      : stages_(std::move(stages)), workers_(workers), limit_(bytes) {}

  // Whether all jobs were done; false after a stop.
  // Errors: of any stage, the one that is first in the order of reading; all threads have ended.
  bool run() {
    std::vector<std::thread> threads;
    const EndAll end_all{*this, threads};
    threads.emplace_back([this] { read_all(); });
    for (int i = 0; i != workers_; ++i)
      threads.emplace_back([this, work = stages_.make_worker()] { work_all(work); });
    while (!stages_.stop()) {
      std::optional<Outcome> outcome = next_outcome();
      if (!outcome) continue;
      if (outcome->index() == kEnd) return true;
      if (outcome->index() == kError) std::rethrow_exception(std::get<kError>(*outcome));
      stages_.write(std::move(std::get<kResult>(*outcome)));
    }
    return false;
  }

 private:
  struct End {};
  using Outcome = std::variant<Result, std::exception_ptr, End>;
  static constexpr std::size_t kResult = 0, kError = 1, kEnd = 2;
  static constexpr auto kAskAgain = std::chrono::milliseconds(50);
  struct Numbered {
    std::uint64_t number;
    std::int64_t bytes;
    Job job;
  };
  struct Finished {
    std::int64_t bytes;
    Outcome outcome;
  };
  struct EndAll {
    Pipeline& pipeline;
    std::vector<std::thread>& threads;
    ~EndAll() {
      {
        const std::lock_guard lock(pipeline.mutex_);
        pipeline.ending_ = true;
      }
      pipeline.stages_.cancel();
      pipeline.room_.notify_all();
      pipeline.jobs_there_.notify_all();
      for (std::thread& thread : threads) thread.join();
    }
  };

  void read_all() {
    std::uint64_t number = 0;
    try {
      while (std::optional<Job> job = stages_.read()) {
        const std::int64_t bytes = stages_.bytes_of(*job);
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return ending_ || has_room(bytes); });
        if (ending_) return;
        ++under_way_;
        bytes_under_way_ += bytes;
        jobs_.push_back({number++, bytes, std::move(*job)});
        jobs_there_.notify_one();
      }
      finish(number, {0, Outcome(std::in_place_index<kEnd>)});
    } catch (...) {
      finish(number, {0, Outcome(std::in_place_index<kError>, std::current_exception())});
    }
  }

  // Each worker has one job in hand and one that waits.
  bool has_room(std::int64_t bytes) const {
    if (under_way_ == 0) return true;
    return under_way_ < 2 * workers_ + 1 && bytes_under_way_ + bytes <= limit_;
  }

  void work_all(const std::function<Result(Job)>& work) {
    while (std::optional<Numbered> job = next_job()) {
      try {
        finish(job->number,
               {job->bytes, Outcome(std::in_place_index<kResult>, work(std::move(job->job)))});
      } catch (...) {
        finish(job->number,
               {job->bytes, Outcome(std::in_place_index<kError>, std::current_exception())});
      }
    }
  }

  std::optional<Numbered> next_job() {
    std::unique_lock lock(mutex_);
    jobs_there_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
    if (ending_) return std::nullopt;
    Numbered job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

  void finish(std::uint64_t number, Finished finished) {
    {
      const std::lock_guard lock(mutex_);
      finished_.emplace(number, std::move(finished));
    }
    next_is_there_.notify_one();
  }

  // Nothing when it is not there within a moment.
  std::optional<Outcome> next_outcome() {
    std::unique_lock lock(mutex_);
    const auto there = [&] { return finished_.count(next_) != 0; };
    if (!next_is_there_.wait_for(lock, kAskAgain, there)) return std::nullopt;
    auto node = finished_.extract(next_++);
    --under_way_;
    bytes_under_way_ -= node.mapped().bytes;
    room_.notify_one();
    return std::move(node.mapped().outcome);
  }

  Stages<Job, Result> stages_;
  int workers_;
  std::int64_t limit_;
  std::mutex mutex_;
  std::condition_variable room_, jobs_there_, next_is_there_;
  std::deque<Numbered> jobs_;
  std::map<std::uint64_t, Finished> finished_;
  std::uint64_t next_ = 0;
  int under_way_ = 0;
  std::int64_t bytes_under_way_ = 0;
  bool ending_ = false;
};

// The cores that this process may use.
int available_cores();

}  // namespace mortise::corpus
