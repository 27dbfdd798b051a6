#include "sharded_group.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace mortise_fsdp {
namespace {

std::int64_t padded(std::int64_t n) { return (n + 15) / 16 * 16; }

// Gives `t`'s storage new memory of `bytes`, or none. Views that were made with set_ follow.
void give_memory(const at::Tensor& t, std::size_t bytes) {
  auto* storage = t.storage().unsafeGetStorageImpl();
  storage->set_data_ptr_noswap(storage->allocator()->allocate(bytes));
  storage->set_nbytes(bytes);
}

std::vector<std::int64_t> contiguous_strides(const mortise::Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

}  // namespace

ShardedGroup::ShardedGroup(std::vector<std::int64_t> units, Lanes lanes)
    : units_(std::move(units)), lanes_(lanes) {}

void ShardedGroup::add(mortise::ParameterId id, const mortise::Box& box) {
  const std::int64_t ranks = lanes_.gather.size();
  const mortise::Shape& shape = box.size;
  Entry e{id, box};
  if (!shape.empty()) e.rows = shape[0];
  for (std::size_t d = 1; d < shape.size(); ++d) e.row_size *= shape[d];
  e.chunk_rows = (e.rows + ranks - 1) / ranks;
  e.shard_offset = shard_size_;
  e.full_offset = full_size_;
  shard_size_ += padded(e.chunk());
  full_size_ += padded(alone() ? e.chunk() : e.chunk() * ranks);
  entries_.push_back(std::move(e));
}

void ShardedGroup::allocate(mortise::PlanBuilder& plan) {
  master_ = at::zeros({shard_size_});
  gradient_ = at::zeros({shard_size_});
  for (std::size_t i = 1; i < units_.size(); ++i)
    more_gradients_[units_[i]] = at::zeros({shard_size_});
  full_ = alone() ? master_ : at::empty({full_size_});
  for (const Entry& e : entries_) {
    at::Tensor view = at::empty({0});
    view.set_(full_.storage(), alone() ? e.shard_offset : e.full_offset, e.box.size,
              contiguous_strides(e.box.size));
    plan.place(e.id, view);
  }
  if (!alone()) give_memory(full_, 0);
}

bool ShardedGroup::serves(std::int64_t unit) const {
  return std::find(units_.begin(), units_.end(), unit) != units_.end();
}

std::vector<mortise::Piece> ShardedGroup::pieces() const {
  const std::int64_t rank = lanes_.gather.rank();
  std::vector<mortise::Piece> all;
  for (const Entry& e : entries_) {
    mortise::Box box = e.box;
    if (!box.size.empty()) {
      box.offset[0] += e.first_row(rank);
      box.size[0] = e.row_count(rank);
    }
    const std::int64_t size = padded(e.row_count(rank) * e.row_size);
    all.push_back({e.id,
                   box,
                   master_.narrow(0, e.shard_offset, size),
                   gradient_.narrow(0, e.shard_offset, size),
                   {}});
  }
  return all;
}

void ShardedGroup::start_gather() {
  if (there_ || gathering_ || alone()) return;
  gathered_ = at::empty({lanes_.gather.size() * shard_size_});
  gathering_ = lanes_.gather.all_gather(gathered_, master_);
}

void ShardedGroup::finish_gather() {
  if (there_) return;
  if (!alone()) {
    start_gather();
    gathering_->wait();
    gathering_.reset();
    give_memory(full_, std::size_t(full_size_) * sizeof(float));
    copy_out();
    gathered_.reset();
  }
  there_ = true;
}

void ShardedGroup::copy_out() {
  const at::NoGradGuard no_grad;
  const std::int64_t ranks = lanes_.gather.size();
  const at::Tensor shards = gathered_.view({ranks, shard_size_});
  for (const Entry& e : entries_)
    full_.narrow(0, e.full_offset, e.chunk() * ranks)
        .view({ranks, e.chunk()})
        .copy_(shards.narrow(1, e.shard_offset, e.chunk()));
}

void ShardedGroup::release() {
  if (!there_ || alone()) return;
  give_memory(full_, 0);
  there_ = false;
}

void ShardedGroup::forget() {
  if (gathering_) {
    gathering_->wait();
    gathering_.reset();
    gathered_.reset();
  }
  release();
}

// [ranks, shard], rank-major: what each rank owns of these gradients, zero where there is none;
// once for each copy.
at::Tensor ShardedGroup::pack(const mortise::TensorList& gradients) const {
  const std::int64_t ranks = lanes_.gather.size();
  const at::Tensor packed = at::zeros({ranks, shard_size_});
  for (std::size_t i = 0; i != entries_.size(); ++i) {
    const Entry& e = entries_[i];
    if (!gradients[i].defined()) continue;
    const at::Tensor flat = gradients[i].reshape({-1});
    const at::Tensor columns = packed.narrow(1, e.shard_offset, e.chunk());
    if (e.rows == e.chunk_rows * ranks) {
      columns.copy_(flat.view({ranks, e.chunk()}));
      continue;
    }
    for (std::int64_t r = 0; r != ranks; ++r)
      if (const std::int64_t n = e.row_count(r) * e.row_size; n > 0)
        columns[r].narrow(0, 0, n).copy_(flat.narrow(0, e.first_row(r) * e.row_size, n));
  }
  const std::int64_t copies = lanes_.reduce.size() / ranks;
  return copies == 1 ? packed : packed.repeat({copies, 1});
}

at::Tensor& ShardedGroup::accumulator(std::int64_t unit) {
  return unit == units_.front() ? gradient_ : more_gradients_.at(unit);
}

// What packing and reducing over one rank come to, to the last bit, without the copies.
void ShardedGroup::add_own(std::int64_t unit, const mortise::TensorList& gradients) {
  for (std::size_t i = 0; i != entries_.size(); ++i)
    if (gradients[i].defined())
      accumulator(unit)
          .narrow(0, entries_[i].shard_offset, entries_[i].count())
          .add_(gradients[i].reshape({-1}));
}

void ShardedGroup::start_reduce(std::int64_t unit, const mortise::TensorList& gradients) {
  const at::NoGradGuard no_grad;
  if (lanes_.reduce.size() == 1) return add_own(unit, gradients);
  Reduction reduction{pack(gradients), nullptr};
  reduction.work =
      lanes_.reduce.reduce_scatter_ordered(accumulator(unit), reduction.packed.view({-1}));
  pending_.push_back(std::move(reduction));
}

void ShardedGroup::finish_reduce() {
  if (pending_.empty()) return;  // was added at once
  const at::NoGradGuard no_grad;
  pending_.front().work->wait();
  pending_.erase(pending_.begin());
}

void ShardedGroup::zero() {
  gradient_.zero_();
  for (auto& [unit, gradient] : more_gradients_) gradient.zero_();
}

void ShardedGroup::join_units() {
  const at::NoGradGuard no_grad;
  for (const auto& [unit, gradient] : more_gradients_) gradient_.add_(gradient);
}

void ShardedGroup::abort() {
  pending_.clear();
  gathering_.reset();
}

}  // namespace mortise_fsdp
