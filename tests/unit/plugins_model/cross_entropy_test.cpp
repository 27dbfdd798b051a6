#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <functional>
#include <limits>
#include <mortise/model/loss.hpp>

#include "checks.hpp"
#include "golden.hpp"
#include "loaded.hpp"
#include "plugins/model/cross_entropy/chunked_token_sums.hpp"
#include "plugins/model/cross_entropy/row_kernels.hpp"

namespace mortise::tests {
namespace {

// A unit that is one head.
class Head final : public UnitContext {
 public:
  using Function = std::function<at::Tensor(const at::Tensor&)>;
  explicit Head(Function head) : head_(std::move(head)) {}
  TensorList apply(LayerId, Tensors inputs) override { return {logits = head_(inputs[0])}; }
  void term(std::string_view name, const at::Tensor& value, Denominator per,
            double weight) override {
    CHECK(name == "cross_entropy");
    CHECK(per == Denominator::tokens);
    CHECK(weight == 1.0);
    sum = value;
  }
  at::Tensor end(LayerId, const at::Tensor&) override { return {}; }
  at::Tensor parameter(ParameterId) override { return {}; }
  at::Tensor buffer(std::string_view) override { return {}; }
  void update(std::string_view, const at::Tensor&) override {}
  void record(std::string_view, const at::Tensor&) override {}

  at::Tensor logits, sum;

 private:
  Function head_;
};

at::Tensor targets_of(std::int64_t rows, std::int64_t vocabulary) {
  const at::Tensor t = at::empty({1, rows}, at::kLong);
  for (std::int64_t i = 0; i != rows; ++i)
    t.mutable_data_ptr<std::int64_t>()[i] =
        i % 5 == 3 ? -100 : std::int64_t((noise(9, std::uint64_t(i)) + 0.5) * double(vocabulary));
  return t;
}
Batch batch_of(const at::Tensor& targets) {
  Batch batch;
  batch.set("targets", targets);
  return batch;
}
at::Tensor leaf(std::uint64_t stream, at::IntArrayRef shape, double scale) {
  return noise_tensor(stream, shape).mul(scale).requires_grad_(true);
}

// Loss and gradients of hidden and weight by LibTorch in float64, the sum times `scale`.
struct Expected {
  at::Tensor sum, hidden, weight;
};
Expected expected(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets,
                  double scale, bool capped = false) {
  const at::Tensor h = hidden.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor w = weight.detach().to(at::kDouble).requires_grad_(true);
  at::Tensor logits = at::linear(h, w);
  if (capped) logits = at::tanh(logits);
  const at::Tensor sum =
      at::cross_entropy_loss(logits.flatten(0, 1), targets.flatten(), {}, at::Reduction::Sum);
  sum.mul(scale).backward();
  return {sum.detach(), h.grad(), w.grad()};
}

}  // namespace

TEST_CASE("cross_entropy: loss and gradients agree with LibTorch in float64") {
  const Loaded<Loss> loss("cross_entropy");
  for (const std::int64_t vocabulary : {1, 5, 16, 37, 257, 2050}) {
    CAPTURE(vocabulary);
    const at::Tensor hidden = leaf(1, {1, 23, 8}, 4), weight = leaf(2, {vocabulary, 8}, 4);
    const at::Tensor targets = targets_of(23, vocabulary);
    const Expected e = expected(hidden, weight, targets, 0.25);
    Head unit([&](const at::Tensor& x) { return at::linear(x, weight); });
    loss->add_terms(unit, LayerId{}, hidden, batch_of(targets));
    CHECK((unit.sum.scalar_type() == at::kDouble));
    CHECK(unit.sum.dim() == 0);
    CHECK(distance(unit.sum, e.sum) < 1e-6);
    unit.sum.mul(at::scalar_tensor(0.25, at::kDouble)).backward();
    CHECK(distance(hidden.grad(), e.hidden) < 1e-6);
    CHECK(distance(weight.grad(), e.weight) < 1e-6);
  }
}

TEST_CASE("cross_entropy: counts are the targets that are not masked") {
  const Loaded<Loss> loss("cross_entropy");
  const at::Tensor count = loss->counts(batch_of(targets_of(10, 7)));
  CHECK((count.scalar_type() == at::kLong));
  CHECK(count.dim() == 0);
  CHECK(count.item<std::int64_t>() == 8);
}

TEST_CASE("cross_entropy: a micro-batch without targets adds exactly nothing") {
  const Loaded<Loss> loss("cross_entropy");
  const at::Tensor hidden = leaf(1, {1, 6, 8}, 4), weight = leaf(2, {37, 8}, 4);
  const Batch batch = batch_of(at::full({1, 6}, -100, at::kLong));
  Head unit([&](const at::Tensor& x) { return at::linear(x, weight); });
  loss->add_terms(unit, LayerId{}, hidden, batch);
  CHECK(loss->counts(batch).item<std::int64_t>() == 0);
  CHECK(unit.sum.item<double>() == 0);
  unit.sum.backward();
  CHECK(at::equal(hidden.grad(), at::zeros_like(hidden)));
  CHECK(at::equal(weight.grad(), at::zeros_like(weight)));
}

TEST_CASE("cross_entropy: the gradient takes the logits' memory") {
  const Loaded<Loss> loss("cross_entropy");
  for (const bool bias : {false, true}) {
    CAPTURE(bias);
    const at::Tensor hidden = leaf(1, {1, 6, 8}, 4), weight = leaf(2, {37, 8}, 4);
    const at::Tensor offset = bias ? leaf(3, {37}, 1) : at::Tensor();
    Head unit([&](const at::Tensor& x) { return at::linear(x, weight, offset); });
    loss->add_terms(unit, LayerId{}, hidden, batch_of(targets_of(6, 37)));
    unit.sum.backward();
    const at::Tensor gradient = unit.logits.detach();
    CHECK(gradient.sum(-1).abs().max().item<float>() < 1e-5);  // probabilities less one
    CHECK(distance(gradient.flatten(0, 1).t().matmul(hidden.detach().flatten(0, 1)),
                   weight.grad()) < 1e-6);
  }
}

TEST_CASE("cross_entropy: what others still need is left alone") {
  const Loaded<Loss> loss("cross_entropy");
  const at::Tensor targets = targets_of(6, 37);
  SUBCASE("an operation that keeps its result") {
    const at::Tensor hidden = leaf(1, {1, 6, 8}, 4), weight = leaf(2, {37, 8}, 1);
    const Expected e = expected(hidden, weight, targets, 1, true);
    Head unit([&](const at::Tensor& x) { return at::tanh(at::linear(x, weight)); });
    loss->add_terms(unit, LayerId{}, hidden, batch_of(targets));
    unit.sum.backward();
    CHECK(distance(weight.grad(), e.weight) < 1e-6);
  }
  SUBCASE("logits that the previous unit computed") {
    const at::Tensor logits = leaf(1, {1, 6, 37}, 4), before = logits.detach().clone();
    Head unit([](const at::Tensor& x) { return x; });
    loss->add_terms(unit, LayerId{}, logits, batch_of(targets));
    unit.sum.backward();
    CHECK(at::equal(logits, before));
    CHECK(logits.grad().sum(-1).abs().max().item<float>() < 1e-5);
  }
  SUBCASE("logits that are only evaluated") {
    const at::NoGradGuard no_gradients;
    const at::Tensor logits = noise_tensor(1, {1, 6, 37}), before = logits.clone();
    Head unit([&](const at::Tensor&) { return logits; });
    loss->add_terms(unit, LayerId{}, logits, batch_of(targets));
    CHECK(at::equal(logits, before));
    CHECK_FALSE(unit.sum.requires_grad());
  }
}

TEST_CASE("cross_entropy: a second backward pass fails instead of being wrong") {
  const Loaded<Loss> loss("cross_entropy");
  const at::Tensor hidden = leaf(1, {1, 6, 8}, 4), weight = leaf(2, {37, 8}, 4);
  Head unit([&](const at::Tensor& x) { return at::linear(x, weight); });
  loss->add_terms(unit, LayerId{}, hidden, batch_of(targets_of(6, 37)));
  unit.sum.backward({}, /*retain_graph=*/true);
  CHECK_THROWS(unit.sum.backward());
}

TEST_CASE("cross_entropy: a target that is no id names itself") {
  const Loaded<Loss> loss("cross_entropy");
  for (const std::int64_t bad : {37, -1, -101}) {
    const at::Tensor hidden = noise_tensor(1, {1, 6, 37});
    const at::Tensor targets = targets_of(6, 37);
    targets.mutable_data_ptr<std::int64_t>()[4] = bad;
    Head unit([](const at::Tensor& x) { return x; });
    try {
      loss->add_terms(unit, LayerId{}, hidden, batch_of(targets));
      FAIL("was accepted: ", bad);
    } catch (const Error& e) {
      CHECK(e.code() == ErrorCode::bad_data);
      CHECK(std::string(e.what()) ==
            "a target is no id of the model: " + std::to_string(bad) + ", with a vocabulary of 37");
    }
  }
}

TEST_CASE("cross_entropy: large logits are exact, NaN and infinity show") {
  const Loaded<Loss> loss("cross_entropy");
  const at::Tensor targets = at::zeros({1, 1}, at::kLong);
  const auto sum_with = [&](float value, std::int64_t place) {
    const at::Tensor logits = at::zeros({1, 1, 20});
    logits.mutable_data_ptr<float>()[place] = value;
    Head unit([&](const at::Tensor& x) { return x; });
    loss->add_terms(unit, LayerId{}, logits, batch_of(targets));
    return unit.sum.item<double>();
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CHECK(sum_with(1e4f, 0) == 0);
  CHECK(sum_with(1e4f, 19) == doctest::Approx(1e4));
  CHECK(sum_with(-kInfinity, 7) == doctest::Approx(std::log(19.0)));
  for (const std::int64_t place : {0, 3, 19}) {
    CHECK(std::isnan(sum_with(std::numeric_limits<float>::quiet_NaN(), place)));
    CHECK_FALSE(std::isfinite(sum_with(kInfinity, place)));
  }
}

TEST_CASE("cross_entropy: the way of other devices gives the same numbers") {
  const at::Tensor logits = noise_tensor(1, {1, 2100, 37}).mul(8), targets = targets_of(2100, 37);
  const at::Tensor scale = at::scalar_tensor(0.5, at::kDouble);
  const at::Tensor reference_logits = logits.to(at::kDouble).requires_grad_(true);
  const at::Tensor reference = at::cross_entropy_loss(reference_logits.flatten(0, 1),
                                                      targets.flatten(), {}, at::Reduction::Sum);
  reference.mul(0.5).backward();
  const auto [sum, statistics, losses] = cross_entropy::chunked_token_sum(logits, targets);
  CHECK(distance(sum, reference) < 1e-6);
  CHECK(distance(losses, at::cross_entropy_loss(reference_logits.detach().flatten(0, 1),
                                                targets.flatten(), {}, at::Reduction::None)) <
        1e-6);
  at::Tensor apart = at::zeros_like(logits), in_place = logits.clone();
  cross_entropy::chunked_token_gradient(logits, targets, statistics, scale, apart);
  cross_entropy::chunked_token_gradient(in_place, targets, statistics, scale, in_place);
  CHECK(distance(apart, reference_logits.grad()) < 1e-6);
  CHECK(at::equal(apart, in_place));
}

TEST_CASE("cross_entropy: any number of threads gives the same bits") {
  const Loaded<Loss> loss("cross_entropy");
  const int threads_before = at::get_num_threads();
  const auto with_threads = [&](int threads) {
    at::set_num_threads(threads);
    const at::Tensor logits = leaf(1, {1, 700, 257}, 8);
    Head unit([](const at::Tensor& x) { return x; });
    loss->add_terms(unit, LayerId{}, logits, batch_of(targets_of(700, 257)));
    unit.sum.backward();
    return TensorList{unit.sum.detach(), logits.grad()};
  };
  const TensorList one = with_threads(1), three = with_threads(3);
  at::set_num_threads(threads_before);
  CHECK(at::equal(one[0], three[0]));
  CHECK(at::equal(one[1], three[1]));
}

TEST_CASE("cross_entropy: every instruction set gives the same bits") {
  const auto kernels = cross_entropy::row_kernels();
  MESSAGE("versions that run here: ", kernels.size());
  for (const std::int64_t size : {1, 15, 16, 17, 257, 1024, 1040, 5000}) {
    CAPTURE(size);
    const at::Tensor logits = noise_tensor(3, {size}).mul(60);
    const auto results = [&](const cross_entropy::RowKernels& k) {
      const at::Tensor all = at::zeros({size + 2}, at::kDouble), gradient = at::zeros({size});
      float largest = 0;
      double sum = 0;
      const auto* row = logits.const_data_ptr<float>();
      k.sum_exponentials(row, size, &largest, &sum);
      k.scale_exponentials(row, size, largest, 0.3f, gradient.mutable_data_ptr<float>());
      all[0] = largest;
      all[1] = sum;
      all.narrow(0, 2, size).copy_(gradient);
      return all;
    };
    const at::Tensor first = results(kernels.front());
    for (const auto& k : kernels) CHECK(at::equal(results(k), first));
    const at::Tensor exact = logits.to(at::kDouble).sub(first[0]).exp();
    CHECK(distance(first[1], exact.sum()) < 1e-7);
    CHECK(distance(first.narrow(0, 2, size), exact.mul(double(0.3f))) < 2e-7);
  }
}

}  // namespace mortise::tests
