#include "rotary.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/pow.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstring>

namespace mortise::rotary {
namespace {

// On an accelerator, comparing would wait for it: there the angles are computed each time.
bool same_positions(const at::Tensor& seen, const at::Tensor& positions) {
  return seen.defined() && positions.is_cpu() && seen.sizes() == positions.sizes() &&
         seen.equal(positions);
}

using Floats = float __attribute__((vector_size(16)));

Floats load(const float* from) {
  Floats v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
void store(float* to, Floats v) { std::memcpy(to, &v, sizeof v); }

// One head at one position. Products and sums as LibTorch's operations do them: the same bits.
template <bool Back, class T>
void turn_pair(T a, T b, T cosine, T sine, T& to_a, T& to_b) {
  to_a = Back ? a * cosine + b * sine : a * cosine - b * sine;
  to_b = Back ? b * cosine - a * sine : b * cosine + a * sine;
}
template <bool Back>
void turn_row(const float* x, const float* cosine, const float* sine, std::int64_t half,
              float* to) {
  std::int64_t i = 0;
  for (; i + 4 <= half; i += 4) {
    Floats a, b;
    turn_pair<Back>(load(x + i), load(x + half + i), load(cosine + i), load(sine + i), a, b);
    store(to + i, a);
    store(to + half + i, b);
  }
  for (; i != half; ++i)
    turn_pair<Back>(x[i], x[half + i], cosine[i], sine[i], to[i], to[half + i]);
}

// The result has the strides of x, so that it costs attention no copy.
template <bool Back>
at::Tensor turn_rows(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine) {
  const at::Tensor out = at::empty_like(x);
  const std::int64_t heads = x.size(1), positions = x.size(2), half = x.size(3) / 2;
  const auto *from = x.const_data_ptr<float>(), *c = cosine.const_data_ptr<float>(),
             *s = sine.const_data_ptr<float>();
  auto* to = out.mutable_data_ptr<float>();
  const auto place = [&](const at::Tensor& t, std::int64_t row, std::int64_t head) {
    return row / positions * t.stride(0) + head * t.stride(1) + row % positions * t.stride(2);
  };
  at::parallel_for(0, x.size(0) * positions, 16384 / (heads * half + 1) + 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t row = begin; row != end; ++row)
                       for (std::int64_t h = 0; h != heads; ++h)
                         turn_row<Back>(from + place(x, row, h), c + row * half, s + row * half,
                                        half, to + place(out, row, h));
                   });
  return out;
}

class Turn : public torch::autograd::Function<Turn> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& cosine, const at::Tensor& sine) {
    context->save_for_backward({cosine, sine});
    return turn_rows<false>(x, cosine, sine);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradient) {
    const auto saved = context->get_saved_variables();
    const at::Tensor g = gradient[0].stride(-1) == 1 ? gradient[0] : gradient[0].contiguous();
    return {turn_rows<true>(g, saved[0], saved[1]), at::Tensor(), at::Tensor()};
  }
};

bool has_own_loop(const at::Tensor& x, const Angles& angles) {
  return x.is_cpu() && x.scalar_type() == at::kFloat && x.stride(-1) == 1 &&
         angles.cosine.size(0) == x.size(0);
}

}  // namespace

Rotary::Rotary(std::int64_t head_width, double theta)
    : frequencies_(at::pow(theta, at::arange(0, head_width, 2, at::kFloat).div(double(head_width)))
                       .reciprocal()) {}

const Angles& Rotary::angles(const at::Tensor& positions) {
  if (same_positions(seen_, positions)) return angles_;
  if (frequencies_.device() != positions.device())
    frequencies_ = frequencies_.to(positions.device());
  const at::Tensor turned = positions.to(at::kFloat).unsqueeze(1).unsqueeze(-1).mul(frequencies_);
  angles_ = {turned.cos(), turned.sin()};
  if (positions.is_cpu()) seen_ = positions.clone();
  return angles_;
}

at::Tensor turn(const at::Tensor& x, const Angles& angles) {
  if (x.scalar_type() == at::kBFloat16) return turn(x.to(at::kFloat), angles).to(at::kBFloat16);
  return has_own_loop(x, angles) ? Turn::apply(x, angles.cosine, angles.sine)
                                 : turn_by_operations(x, angles);
}

at::Tensor turn_by_operations(const at::Tensor& x, const Angles& angles) {
  const std::int64_t half = x.size(-1) / 2;
  const at::Tensor a = x.narrow(-1, 0, half);
  const at::Tensor b = x.narrow(-1, half, half);
  const at::Tensor cosine = angles.cosine.to(x.scalar_type());
  const at::Tensor sine = angles.sine.to(x.scalar_type());
  return at::cat({a.mul(cosine).sub(b.mul(sine)), b.mul(cosine).add(a.mul(sine))}, -1);
}

}  // namespace mortise::rotary
