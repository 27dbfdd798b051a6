#include "plugins/model/rotary.hpp"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones_like.h>

#include <cmath>

#include "checks.hpp"
#include "golden.hpp"

namespace mortise::tests {
namespace {

at::Tensor positions_of(std::initializer_list<std::int64_t> values, std::int64_t batch) {
  const at::Tensor t = at::empty({std::int64_t(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), t.mutable_data_ptr<std::int64_t>());
  return t.view({batch, -1});
}

}  // namespace

TEST_CASE("rotary: a pair turns by position times frequency") {
  rotary::Rotary rotary(4, 100.0);
  const at::Tensor x = noise_tensor(1, {1, 1, 1, 4});
  const auto* from = x.const_data_ptr<float>();
  const at::Tensor y = rotary::turn(x, rotary.angles(positions_of({7}, 1)));
  const auto* to = y.const_data_ptr<float>();
  for (const int i : {0, 1}) {
    const double angle = 7.0 * std::pow(100.0, -i / 2.0);
    CHECK(to[i] == doctest::Approx(from[i] * std::cos(angle) - from[i + 2] * std::sin(angle)));
    CHECK(to[i + 2] == doctest::Approx(from[i + 2] * std::cos(angle) + from[i] * std::sin(angle)));
  }
}

TEST_CASE("rotary: the own loop and LibTorch's operations give the same bits") {
  const at::Tensor positions = positions_of({0, 1, 2, 3, 4, 0, 1, 0, 1, 2}, 2);
  for (const std::int64_t width : {2, 6, 8, 10, 32}) {
    CAPTURE(width);
    rotary::Rotary rotary(width, 10000.0);
    const rotary::Angles angles = rotary.angles(positions);
    for (const bool transposed : {false, true}) {
      CAPTURE(transposed);
      const at::Tensor base = noise_tensor(1, {2, transposed ? 5 : 3, transposed ? 3 : 5, width});
      const at::Tensor a = base.clone().requires_grad_(true), b = base.clone().requires_grad_(true);
      const auto seen = [&](const at::Tensor& t) { return transposed ? t.transpose(1, 2) : t; };
      const at::Tensor own = rotary::turn(seen(a), angles);
      const at::Tensor other = rotary::turn_by_operations(seen(b), angles);
      CHECK(at::equal(own, other));
      CHECK(own.strides() == seen(base).strides());
      const at::Tensor gradient = noise_tensor(2, {2, 5, 3, width}).transpose(1, 2);
      own.backward(gradient);
      other.backward(gradient);
      CHECK(at::equal(a.grad(), b.grad()));
    }
  }
}

TEST_CASE("rotary: bfloat16 is turned in float32 and rounded once") {
  rotary::Rotary rotary(8, 10000.0);
  const rotary::Angles angles = rotary.angles(positions_of({0, 1, 2, 900}, 1));
  const at::Tensor x = noise_tensor(1, {1, 3, 4, 8}).to(at::kBFloat16).requires_grad_(true);
  const at::Tensor y = rotary::turn(x, angles);
  CHECK(at::equal(y, rotary::turn(x.detach().to(at::kFloat), angles).to(at::kBFloat16)));
  y.backward(at::ones_like(y));
  CHECK((x.grad().scalar_type() == at::kBFloat16));
}

TEST_CASE("rotary: kept angles are those of other positions computed anew") {
  rotary::Rotary kept(8, 10000.0);
  at::Tensor positions = positions_of({0, 1, 2, 3}, 1);
  const at::Tensor first = kept.angles(positions).cosine;
  CHECK(kept.angles(positions.clone()).cosine.is_same(first));
  positions.add_(5);  // in place: the same tensor with other contents
  CHECK(at::equal(kept.angles(positions).cosine,
                  rotary::Rotary(8, 10000.0).angles(positions).cosine));
}

}  // namespace mortise::tests
