#include "host/checkpoint/box.hpp"

#include "tests/doctest_with_torch.hpp"
#include "tests/unit/checkpoint/random_tensors.hpp"

namespace mortise::tests {
namespace {

Box box(Shape offset, Shape size) { return {std::move(offset), std::move(size)}; }

TEST_CASE("box: an intersection is what both hold, or nothing") {
  struct Row {
    const char* what;
    Box a, b;
    std::optional<Box> common;
  };
  const Row rows[] = {
      {"apart", box({0, 0}, {2, 4}), box({2, 0}, {2, 4}), std::nullopt},
      {"corner", box({0, 0}, {3, 3}), box({2, 1}, {4, 4}), box({2, 1}, {1, 2})},
      {"inside", box({0, 0}, {9, 9}), box({3, 4}, {1, 2}), box({3, 4}, {1, 2})},
      {"empty", box({0, 0}, {9, 9}), box({3, 4}, {0, 2}), std::nullopt},
      {"scalar", box({}, {}), box({}, {}), box({}, {})},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(host::intersection(row.a, row.b) == row.common);
    CHECK(host::intersection(row.b, row.a) == row.common);
  }
}

TEST_CASE("box: lies within a shape only when no edge leaves it") {
  CHECK(host::lies_within(box({0, 0}, {2, 3}), {2, 3}));
  CHECK(host::lies_within(box({2, 0}, {0, 3}), {2, 3}));
  CHECK(host::lies_within(box({}, {}), {}));
  CHECK_FALSE(host::lies_within(box({1, 0}, {2, 3}), {2, 3}));
  CHECK_FALSE(host::lies_within(box({-1, 0}, {1, 3}), {2, 3}));
  CHECK_FALSE(host::lies_within(box({0}, {2}), {2, 3}));
  CHECK_FALSE(host::lies_within(box({INT64_MAX}, {INT64_MAX}), {2}));
}

TEST_CASE("box: copies between any two boxes move exactly what they have in common") {
  const std::uint64_t seed = test_seed();
  MESSAGE("MORTISE_TEST_SEED=" << seed);
  Random random(seed);
  for (int round = 0; round != 300; ++round) {
    CAPTURE(round);
    Shape shape;
    for (std::int64_t d = pick(random, 1, 4); d != 0; --d) shape.push_back(pick(random, 1, 6));
    const auto any_box = [&] {
      Box any{shape, shape};
      for (std::size_t d = 0; d != shape.size(); ++d) {
        any.offset[d] = pick(random, 0, shape[d]);
        any.size[d] = pick(random, 0, shape[d] - any.offset[d]);
      }
      return any;
    };
    const at::Tensor global = random_bits(random, host::whole_box(shape).count(), at::kFloat);
    const Box from = any_box(), to = any_box();
    const at::Tensor source = elements_of(global, shape, from);

    at::Tensor all = elements_of(random_bits(random, global.numel(), at::kFloat), shape, to);
    const at::Tensor before = all.clone();
    const std::int64_t copied = host::copy_common(from, source, to, all);

    const auto common = host::intersection(from, to);
    CHECK(copied == (common ? common->count() : 0));
    const at::Tensor wanted = elements_of(global, shape, to);
    for (std::int64_t i = 0; i != to.count(); ++i) {
      std::int64_t rest = i;
      bool inside = true;
      for (std::size_t d = shape.size(); d-- > 0;) {
        const std::int64_t at = to.offset[d] + rest % to.size[d];
        inside = inside && at >= from.offset[d] && at < from.offset[d] + from.size[d];
        rest /= to.size[d];
      }
      CHECK(same_bits(all.slice(0, i, i + 1), (inside ? wanted : before).slice(0, i, i + 1), 1));
    }
  }
}

TEST_CASE("box: a copy refuses tensors that are shorter than their box") {
  const Box whole = host::whole_box({4, 4});
  at::Tensor short_one = at::empty({15}), long_one = at::empty({16});
  CHECK_THROWS(host::copy_common(whole, short_one, whole, long_one));
  CHECK_THROWS(host::copy_common(whole, long_one, whole, short_one));
}

}  // namespace
}  // namespace mortise::tests
