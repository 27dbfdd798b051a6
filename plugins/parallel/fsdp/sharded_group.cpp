#include "sharded_group.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

namespace mortise_fsdp {
namespace {

std::int64_t padded(std::int64_t n) { return (n + 15) / 16 * 16; }

std::vector<std::int64_t> contiguous_strides(const mortise::Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

// Back-ends move bytes whatever they mean.
at::Tensor bytes_of(const at::Tensor& t) { return t.view(at::kByte); }

}  // namespace

std::size_t ShardedGroup::add(mortise::ParameterId id, const mortise::ParameterInfo& info,
                              const mortise::Box& box) {
  for (const std::int64_t unit : info.units)
    if (!serves(unit)) units_.insert(std::lower_bound(units_.begin(), units_.end(), unit), unit);
  const mortise::Shape& shape = box.size;
  Entry e{id, box};
  if (!shape.empty()) e.rows = shape[0];
  for (std::size_t d = 1; d < shape.size(); ++d) e.row_size *= shape[d];
  e.chunk_rows = (e.rows + ranks() - 1) / ranks();
  e.shard_offset = shard_size_;
  e.full_offset = full_size_;
  shard_size_ += padded(e.chunk());
  full_size_ += padded(alone() ? e.chunk() : e.chunk() * ranks());
  entries_.push_back(std::move(e));
  return entries_.size() - 1;
}

void ShardedGroup::allocate(mortise::PlanBuilder& plan) {
  master_ = at::zeros({shard_size_}, at::TensorOptions(at::Device(plan.device())));
  for (std::size_t use = 0; use != uses(); ++use) gradients_.push_back(at::zeros_like(master_));
  full_ = lies_on_master() ? master_ : at::empty({full_size_}, master_.options().dtype(type()));
  for (const Entry& e : entries_) {
    at::Tensor view = at::empty({0}, full_.options());
    view.set_(full_.storage(), e.full_offset, e.box.size, contiguous_strides(e.box.size));
    plan.place(e.id, view);
  }
  if (!lies_on_master()) drop_memory();
}

bool ShardedGroup::serves(std::int64_t unit) const {
  return std::binary_search(units_.begin(), units_.end(), unit);
}

std::size_t ShardedGroup::use_of(std::int64_t unit) const {
  return is_tied() ? std::size_t(std::find(units_.begin(), units_.end(), unit) - units_.begin())
                   : 0;
}

at::ScalarType ShardedGroup::type() const {
  return kind_.compute == mortise::DType::bfloat16 ? at::kBFloat16 : at::kFloat;
}

bool ShardedGroup::is_flat() const {
  return alone() || (entries_.size() == 1 && entries_[0].chunk() == shard_size_);
}

std::vector<mortise::Piece> ShardedGroup::pieces() const {
  const std::int64_t rank = kind_.lanes->gather->rank();
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
                   gradient().narrow(0, e.shard_offset, size),
                   {}});
  }
  return all;
}

// Views that were made of the storage follow.
void ShardedGroup::take_memory() {
  const std::int64_t bytes = full_size_ * std::int64_t(full_.element_size());
  full_memory_ = memory_.take(bytes, full_.device());
  auto* storage = full_.storage().unsafeGetStorageImpl();
  storage->set_data_ptr_noswap(at::DataPtr(full_memory_.data(), full_.device()));
  storage->set_nbytes(std::size_t(bytes));
}

void ShardedGroup::drop_memory() {
  auto* storage = full_.storage().unsafeGetStorageImpl();
  storage->set_data_ptr_noswap(at::DataPtr(nullptr, full_.device()));
  storage->set_nbytes(0);
  full_memory_ = {};
}

void ShardedGroup::start_gather() {
  if (there_ || gathering_ || alone()) return;
  const at::NoGradGuard no_grad;
  at::Tensor all = full_;
  if (is_flat()) {
    take_memory();
  } else {
    const std::int64_t count = ranks() * shard_size_;
    gathered_ = memory_.take(count * std::int64_t(full_.element_size()), full_.device());
    all = gathered_.as(type(), count);
  }
  gathering_ = kind_.lanes->gather->all_gather(bytes_of(all), bytes_of(master_.to(type())));
}

void ShardedGroup::finish_gather() {
  if (there_) return;
  const at::NoGradGuard no_grad;
  if (!alone()) {
    start_gather();
    gathering_->wait();
    gathering_.reset();
    if (!is_flat()) {
      take_memory();
      copy_out();
      gathered_ = {};
    }
  } else if (!lies_on_master()) {
    take_memory();
    full_.copy_(master_);
  }
  there_ = true;
}

void ShardedGroup::copy_out() {
  const at::Tensor shards =
      gathered_.as(type(), ranks() * shard_size_).view({ranks(), shard_size_});
  for (const Entry& e : entries_)
    full_.narrow(0, e.full_offset, e.chunk() * ranks())
        .view({ranks(), e.chunk()})
        .copy_(shards.narrow(1, e.shard_offset, e.chunk()));
}

void ShardedGroup::release() {
  if (!there_ || lies_on_master()) return;
  drop_memory();
  there_ = false;
}

void ShardedGroup::forget() {
  if (gathering_) {
    gathering_->wait();
    gathering_.reset();
    there_ = true;
  }
  gathered_ = {};
  release();
}

bool ShardedGroup::fills_chunks(const Entry& e) const {
  return e.rows == e.chunk_rows * ranks() && e.chunk() == padded(e.chunk());
}

// Whether the only gradient is what pack() would make of it.
bool ShardedGroup::is_packed(const mortise::TensorList& gradients) const {
  return gradients.size() == 1 && kind_.lanes->reduce->size() == ranks() &&
         gradients[0].defined() && gradients[0].scalar_type() == at::kFloat &&
         gradients[0].is_contiguous() && fills_chunks(entries_[0]);
}

// packed [ranks, shard]: what each rank owns of these gradients, zero where there is none.
void ShardedGroup::pack(const mortise::TensorList& gradients, const at::Tensor& packed) const {
  for (std::size_t i = 0; i != entries_.size(); ++i) {
    const Entry& e = entries_[i];
    const bool filled = gradients[i].defined() && fills_chunks(e);
    if (!filled) packed.narrow(1, e.shard_offset, padded(e.chunk())).zero_();
    if (!gradients[i].defined()) continue;
    const at::Tensor flat = gradients[i].reshape({-1});
    const at::Tensor columns = packed.narrow(1, e.shard_offset, e.chunk());
    if (e.rows == e.chunk_rows * ranks()) {
      columns.copy_(flat.view({ranks(), e.chunk()}));
      continue;
    }
    for (std::int64_t r = 0; r != ranks(); ++r)
      if (const std::int64_t n = e.row_count(r) * e.row_size; n > 0)
        columns[r].narrow(0, 0, n).copy_(flat.narrow(0, e.first_row(r) * e.row_size, n));
  }
}

// What packing and reducing over one rank come to, to the last bit, without the copies.
void ShardedGroup::add_own(std::size_t use, const mortise::TensorList& gradients) {
  for (std::size_t i = 0; i != entries_.size(); ++i)
    if (gradients[i].defined())
      gradients_[use]
          .narrow(0, entries_[i].shard_offset, entries_[i].count())
          .add_(gradients[i].reshape({-1}));
}

// Every copy of a shard gets the parts of all ranks, in their order.
void ShardedGroup::start_reduce(std::size_t use, const mortise::TensorList& gradients) {
  const at::NoGradGuard no_grad;
  mortise::Communicator& group = *kind_.lanes->reduce;
  if (group.size() == 1) return add_own(use, gradients);
  Reduction reduction;
  at::Tensor packed;
  if (is_packed(gradients)) {
    packed = gradients[0].view({-1});
  } else {
    const std::int64_t count = ranks() * shard_size_, copies = group.size() / ranks();
    reduction.packed = memory_.take(copies * count * std::int64_t(sizeof(float)), master_.device());
    packed = reduction.packed.as(at::kFloat, copies * count);
    const at::Tensor by_copy = packed.view({copies, count});
    pack(gradients, by_copy[0].view({ranks(), shard_size_}));
    if (copies > 1) by_copy.narrow(0, 1, copies - 1).copy_(by_copy.narrow(0, 0, 1));
  }
  if (kind_.lanes->ordered) {
    reduction.work = group.reduce_scatter_ordered(gradients_[use], packed);
  } else {
    reduction.into = gradients_[use];
    reduction.sum = at::empty_like(reduction.into);
    reduction.work = group.reduce_scatter(reduction.sum, packed);
  }
  pending_.push_back(std::move(reduction));
}

void ShardedGroup::finish_reduce() {
  if (pending_.empty()) return;  // was added at once
  const at::NoGradGuard no_grad;
  Reduction& oldest = pending_.front();
  oldest.work->wait();
  if (oldest.sum.defined()) oldest.into.add_(oldest.sum);
  pending_.pop_front();
}

void ShardedGroup::zero() {
  for (const at::Tensor& gradient : gradients_) gradient.zero_();
}

void ShardedGroup::join_uses() {
  const at::NoGradGuard no_grad;
  for (std::size_t use = 1; use < uses(); ++use) gradients_[0].add_(gradients_[use]);
}

void ShardedGroup::abort() {
  pending_.clear();
  gathering_.reset();
}

}  // namespace mortise_fsdp
