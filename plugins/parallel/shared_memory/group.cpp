#include "group.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <sstream>
#include <system_error>

#include "process.hpp"

namespace mortise_shared_memory {
namespace {

using mortise::Error;
using mortise::ErrorCode;
using Clock = std::chrono::steady_clock;

// How long a waiting rank keeps its core before it sleeps. It yields, so that a peer on the same
// core goes on at once.
constexpr std::chrono::microseconds kAwake(100);
// How often a sleeping rank looks whether the peer still lives.
constexpr timespec kLook{0, 50'000'000};

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, seen, &kLook, nullptr, 0);
}
void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT32_MAX, nullptr,
          nullptr, 0);
}

void ring(Header& header) {
  header.news.fetch_add(1);
  if (header.sleeping.load() != 0) futex_wake(header.news);
}

std::uint64_t random_token() {
  std::random_device random;
  return std::uint64_t(random()) << 32 | random();
}

// A value that says why there is none begins with this.
constexpr char kReason = '!';

}  // namespace

Group::Group(const mortise::RankGroup& group, mortise::GroupStore& store) : group_(group) {
  sent_.resize(std::size_t(size()));
  received_.resize(std::size_t(size()));
  const std::uint64_t token = random_token();
  std::string mine;
  try {
    const Segment& own = segments_.emplace_back(Segment::made(size(), token));
    mine = std::to_string(getpid()) + " " + std::to_string(start_of(getpid())) + " " +
           std::to_string(own.descriptor()) + " " + std::to_string(token);
  } catch (const std::exception& e) {
    mine = kReason + std::string(e.what());
  }
  store.set("segment/" + std::to_string(rank()), mine);
  open_peers(store);
}

// Every rank hears from every other whether it could, so that all come to one decision.
void Group::open_peers(mortise::GroupStore& store) {
  std::vector<Segment> own = std::move(segments_);
  segments_.clear();
  std::string reason;
  for (std::int64_t r = 0; r != size(); ++r) {
    const std::string text = store.get("segment/" + std::to_string(r), r);
    if (!reason.empty()) continue;
    if (text[0] == kReason) {
      reason = text.substr(1);
      continue;
    }
    try {
      Process process{};
      int descriptor = -1;
      std::uint64_t token = 0;
      std::istringstream(text) >> process.id >> process.start >> descriptor >> token;
      segments_.push_back(r == rank() ? std::move(own.front())
                                      : Segment::of_peer(process.id, descriptor, size(), token));
      processes_.push_back(process);
    } catch (const std::exception& e) {
      reason = e.what();
    }
  }
  store.set("opened/" + std::to_string(rank()), reason.empty() ? "yes" : kReason + reason);
  for (std::int64_t r = 0; r != size(); ++r)
    if (const std::string text = store.get("opened/" + std::to_string(r), r); text[0] == kReason)
      throw Error(ErrorCode::not_supported,
                  "rank " + std::to_string(group_.ranks[std::size_t(r)]) + ": " + text.substr(1));
}

Group::~Group() {
  if (std::int64_t(segments_.size()) != size()) return;
  Header& header = segments_[std::size_t(rank())].header();
  header.closed.store(1);
  ring(header);
}

Call Group::next(Operation operation, std::uint64_t bytes) {
  return {0, ++calls_, operation, bytes, name_of(operation)};
}
Call Group::next_to(std::int64_t peer, std::uint64_t bytes) {
  return {1 + peer, ++sent_[std::size_t(peer)], Operation::message, bytes, "send"};
}
Call Group::next_from(std::int64_t peer, std::uint64_t bytes) {
  return {1 + rank(), ++received_[std::size_t(peer)], Operation::message, bytes, "receive"};
}

void Group::reclaim() {
  std::erase_if(said_, [&](const Said& s) {
    const bool done = s.slot->readers.load(std::memory_order_acquire) == 0;
    if (done && s.block.size != 0) heap_.give_back(s.block);
    return done;
  });
}

BlockHeap::Block Group::take(std::uint64_t bytes) {
  if (bytes == 0) return {};
  const BlockHeap::Block block = heap_.take(bytes);
  if (heap_.end() <= heap_size_) return block;
  try {
    segments_[std::size_t(rank())].grow_heap(heap_.end());
  } catch (const std::system_error& e) {
    throw Error(ErrorCode::out_of_memory, "shared memory of " + std::to_string(heap_.end()) +
                                              " bytes for collectives: " + e.what());
  }
  heap_size_ = heap_.end();
  return block;
}

void Group::say(const Call& call, std::int64_t readers, const std::function<void(char*)>& fill) {
  Segment& own = segments_[std::size_t(rank())];
  Slot& slot = own.slot(call.lane, call.number);
  const auto deadline = Clock::now() + std::chrono::duration<double>(group_.timeout);
  while (slot.readers.load(std::memory_order_acquire) != 0) {  // kSlots calls ago
    if (!broken_.empty() || Clock::now() > deadline)
      lost(call, std::to_string(kSlots) + " calls before it are not taken");
    usleep(100);
  }
  reclaim();
  const BlockHeap::Block block = take(call.bytes);
  if (call.bytes != 0) fill(own.heap(block.offset, call.bytes));
  slot.operation = call.operation;
  slot.offset = block.offset;
  slot.bytes = call.bytes;
  slot.readers.store(std::uint32_t(readers), std::memory_order_relaxed);
  said_.push_back({&slot, block});
  slot.call.store(call.number, std::memory_order_release);
  ring(own.header());
}

bool Group::has_said(std::int64_t peer, const Call& call) const {
  return segments_[std::size_t(peer)]
             .slot(call.lane, call.number)
             .call.load(std::memory_order_acquire) == call.number;
}

const char* Group::hear(std::int64_t peer, const Call& call) {
  if (!has_said(peer, call)) wait_for(peer, call);
  Segment& segment = segments_[std::size_t(peer)];
  const Slot& slot = segment.slot(call.lane, call.number);
  const bool is_ragged = call.operation == Operation::all_to_all_v;
  if (slot.operation != call.operation || (slot.bytes != call.bytes && !is_ragged))
    lost(call, "it is given " + std::to_string(call.bytes) + " bytes, rank " +
                   std::to_string(group_.ranks[std::size_t(peer)]) + " calls " +
                   name_of(slot.operation) + " of " + std::to_string(slot.bytes) +
                   " bytes there: ranks make the same calls in the same order");
  return slot.bytes == 0 ? nullptr : segment.heap(slot.offset, slot.bytes);
}

void Group::taken(std::int64_t peer, const Call& call) {
  segments_[std::size_t(peer)]
      .slot(call.lane, call.number)
      .readers.fetch_sub(1, std::memory_order_release);
}

void Group::wait_for(std::int64_t peer, const Call& call) {
  const Clock::time_point start = Clock::now();
  while (Clock::now() - start < kAwake) {
    if (has_said(peer, call)) return;
    sched_yield();
  }
  const std::string name = "rank " + std::to_string(group_.ranks[std::size_t(peer)]);
  const auto deadline = start + std::chrono::duration<double>(group_.timeout);
  while (!has_said(peer, call)) {
    if (sleep_until_news(peer, call)) continue;
    const bool ended = has_ended(peer);
    if (has_said(peer, call)) return;
    if (ended) lost(call, name + " has ended");
    if (!broken_.empty()) lost(call, broken_);
    if (Clock::now() > deadline) lost(call, name + " has not come within run.timeout");
  }
}

// Whether there are news. The peer looks at `sleeping` after it has changed `news`, so none are
// missed.
bool Group::sleep_until_news(std::int64_t peer, const Call& call) const {
  Header& header = segments_[std::size_t(peer)].header();
  header.sleeping.fetch_add(1);
  const std::uint32_t seen = header.news.load();
  if (!has_said(peer, call) && header.closed.load() == 0) futex_wait(header.news, seen);
  header.sleeping.fetch_sub(1);
  return header.news.load() != seen;
}

bool Group::has_ended(std::int64_t peer) const {
  const Process& process = processes_[std::size_t(peer)];
  return segments_[std::size_t(peer)].header().closed.load() != 0 ||
         start_of(process.id) != process.start;
}

void Group::lost(const Call& call, const std::string& reason) {
  if (broken_.empty()) broken_ = reason;
  throw Error(ErrorCode::lost_rank, std::string(call.name) + " on rank " +
                                        std::to_string(group_.ranks[std::size_t(rank())]) +
                                        " failed: a peer is lost or too late (" + reason + ")");
}

}  // namespace mortise_shared_memory
