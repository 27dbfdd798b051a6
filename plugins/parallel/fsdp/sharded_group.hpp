#pragma once

#include <map>
#include <memory>
#include <mortise/parallel/owner.hpp>
#include <vector>

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

// Parameters that are used by the same units: gathered, freed and reduced together.
//
// The master is this rank's flat shard. The full parameters are views of one buffer whose storage
// comes and goes; nobody writes through them, so autograd's version counters never move. A group
// of one rank needs no second copy: the full parameters lie on the master.
class ShardedGroup {
 public:
  // The ranks that share the chunks out, and those that sum: as many, or several times as many,
  // whose first ones are the first copies. Two groups: a gather does not queue behind a reduction.
  struct Lanes {
    mortise::Communicator& gather;
    mortise::Communicator& reduce;
  };
  ShardedGroup(std::vector<std::int64_t> units, Lanes lanes);
  void add(mortise::ParameterId id, const mortise::Box& box);
  // After the last add(): allocates, and gives each full parameter to `plan`.
  void allocate(mortise::PlanBuilder& plan);

  const std::vector<std::int64_t>& units() const { return units_; }
  const std::vector<Entry>& entries() const { return entries_; }
  bool serves(std::int64_t unit) const;
  std::vector<mortise::Piece> pieces() const;
  const at::Tensor& gradient() const { return gradient_; }
  bool is_first_copy() const { return lanes_.reduce.rank() < lanes_.gather.size(); }

  void start_gather();   // nothing if it is there or under way
  void finish_gather();  // the full parameters are there
  void release();        // drops them
  void forget();         // the masters have changed

  // Begins the ordered reduction of one unit's gradients (one for each entry, undefined: zero) into
  // that unit's accumulator, after those that were begun before.
  void start_reduce(std::int64_t unit, const mortise::TensorList& gradients);
  void finish_reduce();  // the oldest one
  std::size_t pending() const { return pending_.size(); }
  void zero();
  // Joins the accumulators of a tied parameter, in unit order.
  void join_units();
  void abort();

 private:
  at::Tensor pack(const mortise::TensorList& gradients) const;
  void add_own(std::int64_t unit, const mortise::TensorList& gradients);
  at::Tensor& accumulator(std::int64_t unit);
  void copy_out();
  bool alone() const { return lanes_.gather.size() == 1; }

  std::vector<std::int64_t> units_;
  Lanes lanes_;
  std::vector<Entry> entries_;
  std::int64_t shard_size_ = 0, full_size_ = 0;
  at::Tensor master_, gradient_;
  std::map<std::int64_t, at::Tensor> more_gradients_;  // of the units after the first
  at::Tensor full_, gathered_;
  std::unique_ptr<mortise::Work> gathering_;
  bool there_ = false;
  struct Reduction {
    at::Tensor packed;
    std::unique_ptr<mortise::Work> work;
  };
  std::vector<Reduction> pending_;
};

}  // namespace mortise_fsdp
