// Order, bounds, errors and stops of the pipeline.

#include "plugins/data/corpus/pipeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>

namespace {

using mortise::corpus::Pipeline;
using mortise::corpus::Stages;
using Numbers = std::vector<int>;

struct Trial {
  int jobs = 500, workers = 4;
  std::int64_t bytes_of_job = 1, bound = 1000;
  int bad_read = -1, bad_work = -2, bad_write = -1, stop_after = -1;

  std::atomic<int> read = 0, done = 0;
  int farthest_ahead = 0;  // of the reader before the writer
  std::atomic<bool> cancelled = false;
  Numbers written;

  bool run() {
    Stages<int, int> stages;
    stages.read = [this]() -> std::optional<int> {
      if (read == bad_read) throw std::runtime_error("read");
      farthest_ahead = std::max(farthest_ahead, read - done);
      if (read == jobs) return std::nullopt;
      return read++;
    };
    stages.make_worker = [this]() -> std::function<int(int)> {
      return [this](int job) {
        std::this_thread::sleep_for(std::chrono::microseconds((job * 7919) % 300));
        if (job == bad_work || job == bad_work + 1) throw std::runtime_error(std::to_string(job));
        return job;
      };
    };
    stages.bytes_of = [this](const int&) { return bytes_of_job; };
    stages.write = [this](int job) {
      ++done;
      if (job == bad_write) throw std::runtime_error("write");
      written.push_back(job);
    };
    stages.stop = [this] { return int(written.size()) == stop_after; };
    stages.cancel = [this] { cancelled = true; };
    return Pipeline(std::move(stages), workers, bound).run();
  }
  std::string error() {
    try {
      run();
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return {};
  }
  bool in_order(std::size_t size) const {
    Numbers expected(size);
    std::iota(expected.begin(), expected.end(), 0);
    return written == expected;
  }
};

}  // namespace

TEST_CASE("pipeline: results come in the order of reading, for any number of workers") {
  for (const int workers : {1, 2, 8}) {
    Trial trial;
    trial.workers = workers;
    CHECK(trial.run());
    CHECK(trial.in_order(500));
    CHECK(trial.cancelled);
  }
  Trial none;
  none.jobs = 0;
  CHECK(none.run());
}

TEST_CASE(
    "pipeline: the first error in the order of reading is told, what is before it is written") {
  Trial work;
  work.bad_work = 40;  // and 41
  CHECK(work.error() == "40");
  CHECK(work.in_order(40));
  Trial read;
  read.bad_read = 60;
  CHECK(read.error() == "read");
  CHECK(read.in_order(60));
  Trial both;
  both.bad_read = 60;
  both.bad_work = 58;
  CHECK(both.error() == "58");
  Trial write;
  write.bad_write = 30;
  CHECK(write.error() == "write");
  CHECK(write.in_order(30));
}

TEST_CASE("pipeline: a stop ends all threads, and the reader is told to wait no more") {
  Trial trial;
  trial.stop_after = 25;
  CHECK_FALSE(trial.run());
  CHECK(trial.in_order(25));
  CHECK(trial.cancelled);
}

TEST_CASE(
    "pipeline: what is under way is bounded by number and by bytes; one that is too large goes "
    "alone") {
  const int in_hand = 2;  // read and waiting for room, and being written
  Trial number;
  number.run();
  CHECK(number.farthest_ahead <= 2 * number.workers + 1 + in_hand);
  Trial bytes;
  bytes.bytes_of_job = 400;
  bytes.run();
  CHECK(bytes.farthest_ahead <= 2 + in_hand);
  CHECK(bytes.in_order(500));
  Trial large;
  large.bytes_of_job = 5000;
  large.jobs = 50;
  large.run();
  CHECK(large.farthest_ahead <= 1 + in_hand);
  CHECK(large.in_order(50));
}
