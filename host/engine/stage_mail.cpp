#include "host/engine/stage_mail.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

namespace mortise::host {
namespace {

std::vector<std::int64_t> describe(const TensorList& tensors) {
  std::vector<std::int64_t> numbers{std::int64_t(tensors.size())};
  for (const at::Tensor& t : tensors) {
    numbers.push_back(t.defined() ? std::int64_t(t.scalar_type()) : -1);
    numbers.push_back(t.defined() ? t.dim() : 0);
    if (t.defined()) numbers.insert(numbers.end(), t.sizes().begin(), t.sizes().end());
  }
  return numbers;
}

TensorList made_like(const std::vector<std::int64_t>& numbers, at::Device device) {
  TensorList tensors;
  auto at = numbers.begin() + 1;
  for (std::int64_t i = 0; i != numbers[0]; ++i) {
    const std::int64_t type = *at++, dimensions = *at++;
    tensors.emplace_back();
    if (type >= 0)
      tensors.back() = at::empty(std::vector<std::int64_t>(at, at + dimensions),
                                 at::TensorOptions(device).dtype(at::ScalarType(type)));
    at += dimensions;
  }
  return tensors;
}

}  // namespace

StageMail::Kind StageMail::kind_of(const Letter& letter, bool sent) {
  return {sent, letter.peer, letter.gradients, letter.unit, letter.batch_sizes, letter.training};
}

void StageMail::send(const Letter& letter, const TensorList& tensors) {
  auto& works = under_way_[{letter.gradients, letter.unit, letter.micro_batch}];
  const Numbers numbers = describe(tensors);
  const auto [known, is_new] = known_.emplace(kind_of(letter, true), numbers);
  if (is_new) {
    works.push_back(group_of(letter).send(at::tensor({std::int64_t(numbers.size())}), letter.peer));
    works.push_back(group_of(letter).send(at::tensor(numbers), letter.peer));
  } else if (known->second != numbers) {
    throw Error(ErrorCode::bad_argument,
                "unit " + std::to_string(letter.unit) +
                    " has made tensors of other types or sizes than for an earlier micro-batch of "
                    "this size, which a pipeline cannot send");
  }
  for (const at::Tensor& t : tensors)
    if (t.defined()) works.push_back(group_of(letter).send(t.detach().contiguous(), letter.peer));
}

TensorList StageMail::receive(const Letter& letter) {
  auto [known, is_new] = known_.emplace(kind_of(letter, false), Numbers());
  if (is_new) {
    const at::Tensor size = at::empty({1}, at::kLong);
    group_of(letter).receive(size, letter.peer)->wait();
    const at::Tensor numbers = at::empty({size.item<std::int64_t>()}, at::kLong);
    group_of(letter).receive(numbers, letter.peer)->wait();
    const auto* first = numbers.const_data_ptr<std::int64_t>();
    known->second.assign(first, first + numbers.numel());
  }
  TensorList tensors = made_like(known->second, device_);
  for (const at::Tensor& t : tensors)
    if (t.defined()) group_of(letter).receive(t, letter.peer)->wait();
  // Whoever has the gradients has had the activations.
  if (letter.gradients) under_way_.erase({false, letter.unit, letter.micro_batch});
  return tensors;
}

}  // namespace mortise::host
