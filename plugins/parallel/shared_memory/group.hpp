#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <mortise/parallel/connector.hpp>
#include <string>
#include <vector>

#include "block_heap.hpp"
#include "segment.hpp"

namespace mortise_shared_memory {

// One call: the number of its place in its lane, counted from 1, what it is, and how much a rank
// says in it.
struct Call {
  std::int64_t lane = 0;
  std::uint64_t number = 0;
  Operation operation{};
  std::uint64_t bytes = 0;
  const char* name = "";  // for messages
};

// The ranks of a group and what they say to each other. A rank says what it has at once and goes
// on; the others take it when they wait for it. So nobody needs a peer to be in a call at a
// certain time, and calls may be waited for in any order.
//
// Threads: step thread.
class Group {
 public:
  // Collective. Throws Error(not_supported) on every rank when one cannot.
  Group(const mortise::RankGroup& group, mortise::GroupStore& store);
  ~Group();
  Group(const Group&) = delete;

  std::int64_t rank() const { return group_.rank; }
  std::int64_t size() const { return std::int64_t(group_.ranks.size()); }

  // The next call of the group, the next message to a rank, the next one from a rank.
  Call next(Operation operation, std::uint64_t bytes);
  Call next_to(std::int64_t peer, std::uint64_t bytes);
  Call next_from(std::int64_t peer, std::uint64_t bytes);
  // Says what `fill` writes to `readers` others.
  void say(const Call& call, std::int64_t readers, const std::function<void(char*)>& fill);
  // What `peer` says in a call; waits for it. Valid until that peer is heard again. Throws
  // Error(lost_rank) when it does not come, or is another call than this rank's.
  const char* hear(std::int64_t peer, const Call& call);
  // It is taken: its memory may be used again.
  void taken(std::int64_t peer, const Call& call);

 private:
  void open_peers(mortise::GroupStore& store);
  void reclaim();
  BlockHeap::Block take(std::uint64_t bytes);
  bool has_said(std::int64_t peer, const Call& call) const;
  void wait_for(std::int64_t peer, const Call& call);
  bool sleep_until_news(std::int64_t peer, const Call& call) const;
  bool has_ended(std::int64_t peer) const;
  [[noreturn]] void lost(const Call& call, const std::string& reason);

  mortise::RankGroup group_;
  std::vector<Segment> segments_;  // by rank
  struct Process {
    pid_t id;
    std::uint64_t start;
  };
  std::vector<Process> processes_;
  std::uint64_t calls_ = 0;
  std::vector<std::uint64_t> sent_, received_;  // messages, by rank
  BlockHeap heap_;
  std::uint64_t heap_size_ = 0;
  struct Said {
    Slot* slot;
    BlockHeap::Block block;
  };
  std::deque<Said> said_;  // whose memory is in use
  std::string broken_;     // why, after a call has failed: no other waits
};

}  // namespace mortise_shared_memory
