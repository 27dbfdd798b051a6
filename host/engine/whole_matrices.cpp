#include "host/engine/whole_matrices.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "host/checkpoint/box.hpp"

namespace mortise::host {
namespace {

std::int64_t padded(std::int64_t n) { return (n + 15) / 16 * 16; }

// Sends parts[r] to rank r; sizes[r] elements come from rank r.
at::Tensor exchange(Communicator& group, const std::vector<TensorList>& parts,
                    const std::vector<std::int64_t>& sizes) {
  TensorList all{at::empty({0})};
  std::vector<std::int64_t> sent;
  for (const TensorList& of_rank : parts) {
    sent.push_back(0);
    for (const at::Tensor& t : of_rank) {
      all.push_back(t);
      sent.back() += t.numel();
    }
  }
  std::int64_t total = 0;
  for (const std::int64_t n : sizes) total += n;
  const at::Tensor received = at::empty({total});
  group.all_to_all_v(received, at::cat(all), sizes, sent)->wait();
  return received;
}

}  // namespace

WholeMatrices::WholeMatrices(Communicator& group)
    : group_(group), loads_(std::size_t(group.size())) {}

std::vector<Box> WholeMatrices::boxes_of_all(const Box& mine) const {
  const auto dims = std::int64_t(mine.size.size());
  at::Tensor numbers = at::empty({2 * dims}, at::kLong);
  std::copy(mine.offset.begin(), mine.offset.end(), numbers.data_ptr<std::int64_t>());
  std::copy(mine.size.begin(), mine.size.end(), numbers.data_ptr<std::int64_t>() + dims);
  const at::Tensor all = at::empty({group_.size() * 2 * dims}, at::kLong);
  group_.all_gather(all, numbers)->wait();
  std::vector<Box> boxes;
  const std::int64_t* n = all.const_data_ptr<std::int64_t>();
  for (std::int64_t r = 0; r != group_.size(); ++r, n += 2 * dims)
    boxes.push_back({{n, n + dims}, {n + dims, n + 2 * dims}});
  return boxes;
}

Piece WholeMatrices::add(const Piece& mine, const ParameterInfo& info) {
  const Box whole = whole_box(info.shape);
  Matrix m{mine, {mine.parameter, {}, {}, {}, {}}, boxes_of_all(mine.box), 0};
  std::int64_t held = 0, complete = 0;
  for (const Box& b : m.boxes) {
    held += b.count();
    complete += b == whole;
  }
  if (complete == group_.size()) return mine;
  if (held != whole.count())
    throw Error(ErrorCode::not_supported,
                info.name + " is not spread over the ranks of dp once, so none can step it whole");
  m.stepper = std::min_element(loads_.begin(), loads_.end()) - loads_.begin();
  loads_[std::size_t(m.stepper)] += whole.count();
  m.whole.box = steps(m) ? whole : Box{Shape(info.shape.size()), Shape(info.shape.size())};
  m.whole.master = at::zeros({steps(m) ? padded(whole.count()) : 0});
  m.whole.gradient = at::zeros_like(m.whole.master);
  matrices_.push_back(std::move(m));
  return matrices_.back().whole;
}

void WholeMatrices::bring() {
  if (matrices_.empty()) return;
  bring(&Piece::gradient);
  bring(&Piece::master);
}

void WholeMatrices::bring(at::Tensor Piece::*member) {
  std::vector<TensorList> parts(loads_.size());
  std::vector<std::int64_t> sizes(loads_.size());
  for (const Matrix& m : matrices_) {
    parts[std::size_t(m.stepper)].push_back((m.mine.*member).narrow(0, 0, m.mine.box.count()));
    for (std::size_t r = 0; r != sizes.size() && steps(m); ++r) sizes[r] += m.boxes[r].count();
  }
  const at::Tensor received = exchange(group_, parts, sizes);
  std::int64_t at = 0;
  for (std::size_t r = 0; r != sizes.size(); ++r)
    for (Matrix& m : matrices_) {
      if (!steps(m)) continue;
      const std::int64_t n = m.boxes[r].count();
      copy_common(m.boxes[r], received.narrow(0, at, n), m.whole.box, m.whole.*member);
      at += n;
    }
}

void WholeMatrices::spread() {
  if (matrices_.empty()) return;
  std::vector<TensorList> parts(loads_.size());
  std::vector<std::int64_t> sizes(loads_.size());
  for (const Matrix& m : matrices_) {
    sizes[std::size_t(m.stepper)] += m.mine.box.count();
    for (std::size_t r = 0; r != parts.size() && steps(m); ++r) {
      parts[r].push_back(at::empty({m.boxes[r].count()}));
      copy_common(m.whole.box, m.whole.master, m.boxes[r], parts[r].back());
    }
  }
  const at::Tensor received = exchange(group_, parts, sizes);
  std::int64_t at = 0;
  for (std::size_t r = 0; r != sizes.size(); ++r)
    for (const Matrix& m : matrices_) {
      if (m.stepper != std::int64_t(r)) continue;
      const std::int64_t n = m.mine.box.count();
      m.mine.master.narrow(0, 0, n).copy_(received.narrow(0, at, n));
      at += n;
    }
}

}  // namespace mortise::host
