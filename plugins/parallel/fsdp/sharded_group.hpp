#pragma once

#include <deque>
#include <memory>
#include <mortise/parallel/owner.hpp>
#include <vector>

#include "group_memory.hpp"

namespace mortise_fsdp {

// One parameter of a group, or this rank's box of it, and where its parts lie. Rows of dimension 0
// are dealt out in equal chunks; the last ranks may get fewer or none. Every entry begins at a
// multiple of 16 elements, in the shard and in the full buffer: vectorised kernels treat tails
// differently, and equal cuts give equal bits.
struct Entry {
  mortise::ParameterId id{};
  mortise::Box box;                     // in the whole parameter
  std::int64_t rows = 1, row_size = 1;  // dimension 0 and all others
  std::int64_t chunk_rows = 0;          // rows of each rank's chunk
  std::int64_t shard_offset = 0;        // of the chunk in every rank's shard
  std::int64_t full_offset = 0;         // of the parameter in the full buffer
  std::int64_t chunk() const { return chunk_rows * row_size; }
  std::int64_t count() const { return rows * row_size; }
  std::int64_t first_row(std::int64_t rank) const { return std::min(chunk_rows * rank, rows); }
  std::int64_t row_count(std::int64_t rank) const { return first_row(rank + 1) - first_row(rank); }
};

// The ranks that share the chunks of a group out, and those that sum: as many, or several times as
// many, whose first ones are the first copies. Two groups: a gather does not queue behind a
// reduction.
struct Lanes {
  std::unique_ptr<mortise::Communicator> gather, reduce;
  bool ordered = true;  // sums in rank order, else in the order of the communicator
};

// What parameters of one group have in common.
struct GroupKind {
  std::vector<std::int64_t> tied;  // the units of a tied parameter, which stands apart from others
  std::int64_t run = 0;            // which run of units, of others
  bool trainable = true;
  mortise::DType compute = mortise::DType::float32;
  const Lanes* lanes = nullptr;
  bool operator==(const GroupKind&) const = default;
};

// Parameters that are gathered, freed and reduced together.
//
// The master is this rank's flat shard, in float32. The full parameters are views of one buffer
// whose memory comes and goes; nobody writes through them, so autograd's version counters never
// move. A group of one rank that computes in float32 needs no second copy: the full parameters lie
// on the master.
class ShardedGroup {
 public:
  ShardedGroup(GroupKind kind, GroupMemory& memory) : kind_(std::move(kind)), memory_(memory) {}
  // Returns the entry's position.
  std::size_t add(mortise::ParameterId id, const mortise::ParameterInfo& info,
                  const mortise::Box& box);
  // After the last add(): allocates, and gives each full parameter to `plan`.
  void allocate(mortise::PlanBuilder& plan);

  const GroupKind& kind() const { return kind_; }
  bool is_tied() const { return !kind_.tied.empty(); }
  const std::vector<std::int64_t>& units() const { return units_; }  // ascending
  std::size_t size() const { return entries_.size(); }
  bool serves(std::int64_t unit) const;
  std::vector<mortise::Piece> pieces() const;
  const at::Tensor& gradient() const { return gradients_.front(); }
  bool is_first_copy() const { return kind_.lanes->reduce->rank() < ranks(); }

  void start_gather();   // nothing if it is there or under way
  void finish_gather();  // the full parameters are there
  void release();        // drops them
  void forget();         // the masters have changed

  // Gradients are summed use by use: the units of a tied parameter have one accumulator each.
  std::size_t uses() const { return is_tied() ? units_.size() : 1; }
  std::size_t use_of(std::int64_t unit) const;
  // Begins the reduction of the gradients of one use (one for each entry, undefined: zero)
  // into its accumulator, after those that were begun before.
  void start_reduce(std::size_t use, const mortise::TensorList& gradients);
  void finish_reduce();  // the oldest one
  void zero();
  // Joins the accumulators of a tied parameter, in unit order.
  void join_uses();
  void abort();

 private:
  std::int64_t ranks() const { return kind_.lanes->gather->size(); }
  bool alone() const { return ranks() == 1; }
  at::ScalarType type() const;
  bool lies_on_master() const { return alone() && type() == at::kFloat; }
  // Whether the shards of all ranks, one after the other, are the full parameters.
  bool is_flat() const;
  bool fills_chunks(const Entry& e) const;
  void take_memory();
  void drop_memory();
  void copy_out();
  void add_own(std::size_t use, const mortise::TensorList& gradients);
  bool is_packed(const mortise::TensorList& gradients) const;
  void pack(const mortise::TensorList& gradients, const at::Tensor& packed) const;

  GroupKind kind_;
  GroupMemory& memory_;
  std::vector<std::int64_t> units_;
  std::vector<Entry> entries_;
  std::int64_t shard_size_ = 0, full_size_ = 0;
  at::Tensor master_, full_;
  mortise::TensorList gradients_;  // by use
  GroupMemory::Block full_memory_, gathered_;
  std::unique_ptr<mortise::Work> gathering_;
  bool there_ = false;
  struct Reduction {
    GroupMemory::Block packed;
    at::Tensor sum, into;  // of a sum that is not ordered
    std::unique_ptr<mortise::Work> work;
  };
  std::deque<Reduction> pending_;
};

}  // namespace mortise_fsdp
