// Where fsdp's memory for full parameters comes from, counted in LibTorch's allocator.

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>

#include "tests/distributed/against_plain_loop.hpp"

namespace mortise::tests {
namespace {

// Stands in front of the allocator of this process.
class CountingAllocator final : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator& inner) : inner_(inner) {}
  c10::DataPtr allocate(std::size_t bytes) override {
    c10::DataPtr data = inner_.allocate(bytes);
    if (bytes == 0) return data;
    const std::lock_guard lock(mutex_);
    now_ += std::int64_t(bytes);
    peak = std::max(peak, now_);
    ++times[std::int64_t(bytes)];
    auto* note = new Note{*this, std::move(data), std::int64_t(bytes)};
    return {note->data.get(), note, &CountingAllocator::free, note->data.device()};
  }
  void copy_data(void* to, const void* from, std::size_t n) const override {
    inner_.copy_data(to, from, n);
  }

  std::int64_t peak = 0;
  std::map<std::int64_t, int> times;  // that a size was asked for

 private:
  struct Note {
    CountingAllocator& allocator;
    c10::DataPtr data;
    std::int64_t bytes;
  };
  static void free(void* context) {
    auto* note = static_cast<Note*>(context);
    {
      const std::lock_guard lock(note->allocator.mutex_);
      note->allocator.now_ -= note->bytes;
    }
    delete note;
  }
  c10::Allocator& inner_;
  std::mutex mutex_;
  std::int64_t now_ = 0;
};

constexpr int kLayers = 16;

// Blocks are large, and all else is small.
TrainingCase large_blocks(bool reshard) {
  TrainingCase c = named(reshard ? "reshard" : "no reshard");
  c.shape = {16, 128, kLayers, 4, 4, 512};
  c.shape.tied = false;
  c.sequences = 2, c.length = 4, c.micro_batches = 2, c.steps = 3;
  c.reshard = reshard, c.evaluates = false;
  return c;
}

// What a block's matrices take. With its norms it is a little more, and the owner rounds that up to
// the next eighth; nothing else is asked for in that size.
constexpr std::int64_t kBlock = (4 * 128 * 128 + 3 * 128 * 512) * std::int64_t(sizeof(float));
int blocks_in(std::map<std::int64_t, int>& times) { return times[kBlock / 8 * 9]; }

struct Counts {
  int forward = 0, first = 0, all = 0;  // blocks asked for until then: a pass, a step, the run
  std::int64_t peak = 0;                // bytes in the later steps
};

// Of the first of 2 ranks.
Counts count(bool reshard) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "counts";
  const std::vector<int> codes = run_forked(2, [&](int rank) {
    at::set_num_threads(1);
    CountingAllocator allocator(*c10::GetCPUAllocator());
    c10::SetCPUAllocator(&allocator, 1);
    Counts counts;
    Seen seen;
    seen.look = [&](const Visit& v) {
      const auto visits = int(seen.visits.size());
      const int in_a_pass = kLayers + 2, in_a_step = 2 * in_a_pass;
      if (visits == in_a_pass + 1) counts.forward = blocks_in(allocator.times);
      if (visits == in_a_step + 1) counts.first = blocks_in(allocator.times), allocator.peak = 0;
      if (visits < 3 * in_a_step) return;
      counts.all = blocks_in(allocator.times), counts.peak = allocator.peak;
      static_cast<void>(v);
    };
    TrainingCase c = large_blocks(reshard);
    c.seen = &seen;
    train_through_engine(c, rank, 2, true, folder.path() / "store");
    if (rank == 0)
      std::ofstream(file) << counts.forward << ' ' << counts.first << ' ' << counts.all << ' '
                          << counts.peak;
    std::_Exit(0);  // the allocator is still in use
  });
  for (const int code : codes) CHECK(code == 0);
  Counts counts;
  std::ifstream(file) >> counts.forward >> counts.first >> counts.all >> counts.peak;
  return counts;
}

}  // namespace

TEST_CASE("memory: full parameters of all units come from a few blocks") {
  const Counts drops = count(true), keeps = count(false);
  // Going forward: the unit that computes and the one that is gathered.
  CHECK(drops.forward == 2);
  // Going backward also gradients: one packed, four on their way.
  CHECK(drops.first <= 2 + 5);
  CHECK(drops.all == drops.first);  // later steps ask for nothing
  CHECK(keeps.forward >= kLayers);
  CHECK(keeps.all == keeps.first);
  CHECK(keeps.peak - drops.peak >= (kLayers - 4) * kBlock);
}

}  // namespace mortise::tests
