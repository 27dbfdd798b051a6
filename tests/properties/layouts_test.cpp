// Random small models on random meshes against a plain loop in one process: losses, gradient norms
// and the gradient of every parameter.
//
// MORTISE_PROPERTY_SEED repeats what a failure has printed; MORTISE_PROPERTY_ROUNDS says how many
// seeds are tried on each mesh, 1 if it is not set.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cstdlib>
#include <iostream>

#include "tests/doctest_with_torch.hpp"
#include "tests/properties/random_case.hpp"
#include "tests/training/engine_run.hpp"
#include "tests/training/forked_ranks.hpp"

namespace mortise::tests {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint64_t first_seed() {
  static const std::uint64_t seed =
      number_of("MORTISE_PROPERTY_SEED", std::random_device()() % 1000000);
  return seed;
}

[[noreturn]] void fail(const TrainingCase& c, const std::string& text) {
  throw std::runtime_error(text + "\n  " + c.name);
}

// Gradients of the plain loop, clipped as the engine's are.
TensorList clipped(const TrainingCase& c, const TrainingResult& plain) {
  TensorList all;
  for (const at::Tensor& g : plain.gradients) {
    all.push_back(g.clone());
    if (c.clip_norm > 0) all.back().mul_(float(std::min(1.0, c.clip_norm / plain.norms.back())));
  }
  return all;
}

void require_bits(const TrainingCase& c, const std::string& what, const TensorList& expected,
                  const TensorList& got) {
  const std::vector<ParameterInfo> infos = SmallModel(c.shape).parameters();
  for (std::size_t i = 0; i != expected.size(); ++i)
    if (const std::int64_t n = differing({expected[i]}, {got[i]}); n != 0)
      fail(c, what + " of " + infos[i].name + ": " + std::to_string(n) + " of " +
                  std::to_string(expected[i].numel()) + " elements differ");
}

void require_equal(const TrainingCase& c, const TrainingResult& mine) {
  const TrainingResult plain = train_plainly(c);
  for (std::size_t s = 0; s != plain.norms.size(); ++s)
    if (!(std::abs(plain.norms[s] - mine.norms[s]) <= 1e-12 * plain.norms[s]))
      fail(c, "norm of step " + std::to_string(s) + " is off by " +
                  std::to_string(mine.norms[s] / plain.norms[s] - 1));
  require_bits(c, "gradient", clipped(c, plain), mine.gradients);
  require_bits(c, "value", plain.parameters, mine.parameters);
  // What each micro-batch adds has the same bits; the reference sums in the same order.
  if (plain.losses != mine.losses) fail(c, "losses differ");
}

void check(const TrainingCase& c) {
  const auto size = int(ranks_of(c.mesh));
  INFO("MORTISE_PROPERTY_SEED=" << first_seed() << " repeats it: " << c.name);
  const TemporaryFolder folder;
  const std::vector<int> codes = run_forked(size, [&](int rank) {
    at::set_num_threads(1);
    const TrainingResult mine = train_through_engine(c, rank, size, true, folder.path() / "store");
    if (rank == 0) require_equal(c, mine);
  });
  CHECK(codes == std::vector<int>(std::size_t(size), 0));
}

void check_meshes(const std::vector<MeshShape>& meshes) {
  std::cout << "MORTISE_PROPERTY_SEED=" << first_seed() << std::endl;
  const std::uint64_t rounds = number_of("MORTISE_PROPERTY_ROUNDS", 1);
  for (std::uint64_t round = 0; round != rounds; ++round)
    for (const MeshShape& mesh : meshes) check(random_case(mesh, first_seed() + round));
}

// Every mesh of these axes on 1 to 8 ranks.
std::vector<MeshShape> all_meshes(const std::vector<std::string>& axes) {
  std::vector<MeshShape> all{{}};
  for (const std::string& axis : axes) {
    std::vector<MeshShape> more;
    for (const MeshShape& mesh : all)
      for (std::int64_t size = 1; size * ranks_of(mesh) <= 8; ++size) {
        more.push_back(mesh);
        more.back().emplace_back(axis, size);
      }
    all = std::move(more);
  }
  return all;
}

}  // namespace

TEST_CASE("layouts: a mesh of each class has the bits of one process") {
  check_meshes({{{"dp", 3}},
                {{"dp_replicate", 2}, {"dp", 2}},
                {{"pp", 2}},
                {{"pp", 4}},
                {{"pp", 2}, {"dp", 2}},
                {{"pp", 2}, {"dp_replicate", 2}},
                {{"pp", 2}, {"dp_replicate", 2}, {"dp", 2}}});
}

// Skipped here, run by the test layout_matrix_test.
TEST_CASE("matrix: every mesh of up to 8 ranks has the bits of one process" * doctest::skip()) {
  check_meshes(all_meshes({"pp", "dp_replicate", "dp"}));
}

}  // namespace mortise::tests
