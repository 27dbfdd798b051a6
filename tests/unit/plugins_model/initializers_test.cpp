#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <chrono>
#include <cmath>
#include <mortise/model/initializer.hpp>
#include <mortise/random.hpp>

#include "checks.hpp"
#include "loaded.hpp"

namespace mortise::tests {
namespace {

ParameterInfo parameter(const char* name, Shape shape, Role role = Role::matrix) {
  ParameterInfo p;
  p.name = name;
  p.shape = std::move(shape);
  p.role = role;
  return p;
}

// Padded like a piece of an owner, with 7 where nothing may be written.
at::Tensor filled(Initializer& initializer, const ParameterInfo& p, const Box& box,
                  std::uint64_t seed) {
  const std::int64_t count = box.count(), padded = (count + 15) / 16 * 16;
  const at::Tensor master = at::full({padded + 16}, 7.0);
  initializer.fill({.box = box, .master = master}, p, seed);
  CHECK(at::equal(master.narrow(0, count, padded + 16 - count),
                  at::full({padded + 16 - count}, 7.0)));
  return master.narrow(0, 0, count);
}
at::Tensor whole(Initializer& initializer, const ParameterInfo& p, std::uint64_t seed = 1) {
  return filled(initializer, p, {Shape(p.shape.size(), 0), p.shape}, seed).view(p.shape);
}
Settings of_layers(int n) { return Settings().set("layers", n); }

void check_normal(const at::Tensor& values, double deviation) {
  const at::Tensor x = values.flatten().to(at::kDouble).div(deviation);
  const double n = double(x.numel());
  CHECK(std::abs(x.mean().item<double>()) < 5 / std::sqrt(n));
  CHECK(std::abs(x.pow(2).mean().item<double>() - 1) < 5 * std::sqrt(2 / n));
  CHECK(std::abs(x.pow(3).mean().item<double>()) < 5 * std::sqrt(15 / n));
  CHECK(std::abs(x.pow(4).mean().item<double>() - 3) < 5 * std::sqrt(96 / n));
  CHECK(std::abs(x.abs().lt(1).to(at::kDouble).mean().item<double>() - 0.682689) <
        5 * 0.4655 / std::sqrt(n));
}

}  // namespace

TEST_CASE("initializers: weights are normal with the deviation that their place asks for") {
  const Loaded<Initializer> scaled("scaled_normal", of_layers(8));
  const Loaded<Initializer> plain("plain_normal", Settings().set("std", 0.3));
  check_normal(whole(*scaled, parameter("model.layers.0.mlp.up_proj.weight", {300, 200})), 0.02);
  check_normal(whole(*scaled, parameter("model.layers.0.mlp.down_proj.weight", {300, 200})), 0.005);
  check_normal(whole(*scaled, parameter("transformer.h.3.attn.c_proj.weight", {300, 200})), 0.005);
  check_normal(whole(*scaled, parameter("model.embed_tokens.weight", {300, 200}, Role::embedding)),
               0.02);
  check_normal(whole(*plain, parameter("model.layers.0.mlp.down_proj.weight", {300, 200})), 0.3);
}

TEST_CASE("initializers: norms are 1, biases 0") {
  const Loaded<Initializer> initializer("scaled_normal", of_layers(2));
  CHECK(at::equal(whole(*initializer, parameter("model.norm.weight", {20}, Role::norm)),
                  at::full({20}, 1.0)));
  CHECK(at::equal(whole(*initializer, parameter("a.o_proj.bias", {20}, Role::bias)),
                  at::zeros({20})));
}

TEST_CASE("initializers: a piece has the values of its box in the whole") {
  for (const char* key : {"scaled_normal", "plain_normal"}) {
    const Loaded<Initializer> initializer(key, of_layers(2));
    const ParameterInfo p = parameter("experts.weight", {5, 7, 9});
    const at::Tensor all = whole(*initializer, p);
    for (const Box& box :
         {Box{{0, 0, 0}, {5, 7, 9}}, Box{{1, 0, 0}, {3, 7, 9}}, Box{{0, 2, 0}, {5, 3, 9}},
          Box{{2, 3, 4}, {1, 1, 1}}, Box{{1, 2, 3}, {4, 5, 6}}, Box{{0, 0, 0}, {0, 7, 9}},
          Box{{4, 6, 8}, {1, 1, 0}}}) {
      at::Tensor expected = all;
      for (std::size_t d = 0; d != 3; ++d)
        expected = expected.narrow(std::int64_t(d), box.offset[d], box.size[d]);
      CHECK(at::equal(filled(*initializer, p, box, 1).view(expected.sizes()), expected));
    }
  }
}

TEST_CASE("initializers: values follow from seed, name and element") {
  const Loaded<Initializer> initializer("plain_normal");
  const at::Tensor values = whole(*initializer, parameter("a.weight", {4, 3}), 42);
  const std::uint64_t key = random::key_of(42, "a.weight");
  for (std::uint64_t i = 0; i != 12; ++i)
    CHECK(values.const_data_ptr<float>()[i] == float(0.02 * random::normal(key, i)));
  CHECK_FALSE(at::equal(values, whole(*initializer, parameter("b.weight", {4, 3}), 42)));
  CHECK_FALSE(at::equal(values, whole(*initializer, parameter("a.weight", {4, 3}), 43)));
}

TEST_CASE("initializers: fifteen million weights take no more than seconds") {
  const Loaded<Initializer> initializer("plain_normal");
  const auto begin = std::chrono::steady_clock::now();
  whole(*initializer, parameter("a.weight", {5000, 3000}));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  MESSAGE("15 M normal numbers: ", taken.count(), " s");
  CHECK(taken.count() < 10);
}

TEST_CASE("scaled_normal: layers must be known") {
  CHECK_THROWS_WITH_AS(Loaded<Initializer>("scaled_normal"), "layers is not set", Error);
}

}  // namespace mortise::tests
