// Tensor parallelism against a plain loop in one process: every gradient, losses and norms.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "tests/doctest_with_torch.hpp"
#include "tests/training/engine_run.hpp"
#include "tests/training/forked_ranks.hpp"

namespace mortise::tests {
namespace {

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;
using Change = std::function<void(TrainingCase&)>;

TrainingCase::Strategy cut_into_parts(bool sequence, std::int64_t length) {
  return {"tensor_parallel",
          "tensor_parallel",
          "",
          {},
          {{"sequence", sequence}, {"sequence_length", length}}};
}

// Shapes with nothing even: a vocabulary and a hidden width that no number of ranks divides.
TrainingCase on_mesh(const std::string& name, Sizes mesh, bool sequence,
                     const Change& change = {}) {
  TrainingCase c;
  c.name = name + (sequence ? ", sequence" : "");
  c.mesh = std::move(mesh), c.steps = 4, c.learning_rate = 1e-3, c.micro_batches = 3;
  c.owner = "ddp", c.takes_losses = true;
  c.shape.vocabulary = 67, c.shape.width = 48, c.shape.heads = 4, c.shape.kv_heads = 2;
  c.shape.layers = 2, c.shape.hidden = 51, c.shape.value_bias = false;
  c.strategies = {cut_into_parts(sequence, c.length)};
  if (change) change(c);
  return c;
}

Change loaded(const std::string& model, SettingList more) {
  return [=](TrainingCase& c) {
    c.model = model, c.model_plugin = model;
    c.model_settings = {{"vocabulary_size", 67}, {"width", 48},         {"layers", 2}, {"heads", 4},
                        {"context_length", 16},  {"norm_epsilon", 1e-5}};
    c.model_settings.insert(c.model_settings.end(), more.begin(), more.end());
  };
}

void require_close(double expected, double got, double tolerance, const std::string& what) {
  if (!(std::abs(expected - got) <= tolerance * std::abs(expected)))
    throw std::runtime_error(what + ": " + std::to_string(got) + ", expected " +
                             std::to_string(expected));
}

// Relative to the gradient's norm; to a part of that of all, where it is nothing but rounding (a
// bias that all keys share does not change attention).
void require_close_gradients(const TrainingResult& plain, const TrainingResult& mine,
                             double tolerance) {
  double all = 0;
  for (const at::Tensor& g : plain.gradients) all += g.square().sum().item<double>();
  for (std::size_t i = 0; i != plain.gradients.size(); ++i) {
    const double error = plain.gradients[i].sub(mine.gradients[i]).norm().item<double>(),
                 size = std::max(plain.gradients[i].norm().item<double>(), 1e-3 * std::sqrt(all));
    if (!(error <= tolerance * size))
      throw std::runtime_error("gradient " + std::to_string(i) + " is off by " +
                               std::to_string(error / size / tolerance) + " tolerances");
  }
}

void require_close(const TrainingResult& plain, const TrainingResult& mine, double tolerance) {
  for (std::size_t s = 0; s != plain.losses.size(); ++s) {
    require_close(plain.losses[s], mine.losses[s], tolerance, "loss");
    require_close(plain.norms[s], mine.norms[s], tolerance, "norm");
  }
}

// Gradients of the first step, at equal weights; losses and norms of all steps; the evaluation of
// one rank.
void compare(const TrainingCase& c, int rank, int size, const std::filesystem::path& folder) {
  constexpr double tolerance = 1e-5;
  at::set_num_threads(1);
  TrainingCase first = c;
  first.steps = 1, first.clip_norm = 0;
  const TrainingResult one = train_through_engine(first, rank, size, true, folder / "first");
  const TrainingResult some = train_through_engine(c, rank, size, true, folder / "some");
  if (rank != 0) return;
  require_close_gradients(train_plainly(first), one, tolerance);
  require_close(train_plainly(c), some, tolerance);
  TrainingCase alone = c;
  alone.strategies.clear(), alone.mesh.clear(), alone.takes_losses = false;
  require_close(train_through_engine(alone, 0, 1, true, {}).evaluation, some.evaluation, tolerance,
                "evaluation");
}

void check(const TrainingCase& c) {
  int size = 1;
  for (const auto& [axis, ranks] : c.mesh) size *= int(ranks);
  CAPTURE(c.name);
  const TemporaryFolder folder;
  const std::vector<int> codes = run_forked(size, [&](int rank) {
    try {
      compare(c, rank, size, folder.path());
    } catch (const std::exception& e) {
      throw std::runtime_error(c.name + ": " + e.what());
    }
  });
  CHECK(codes == std::vector<int>(std::size_t(size), 0));
}

}  // namespace

TEST_CASE("tensor_parallel: 2 ranks have the gradients of a plain loop") {
  for (const bool sequence : {false, true}) {
    check(on_mesh("tied", {{"tp", 2}}, sequence));
    check(on_mesh("own head, whole logits", {{"tp", 2}}, sequence,
                  [](TrainingCase& c) { c.shape.tied = false, c.takes_losses = false; }));
    check(on_mesh("dropout, recomputation", {{"tp", 2}}, sequence, [](TrainingCase& c) {
      c.shape.dropout = 0.2, c.recompute = true, c.clip_norm = 0.05;
    }));
    check(on_mesh("fsdp", {{"tp", 2}}, sequence, [](TrainingCase& c) { c.owner = "fsdp"; }));
  }
}

TEST_CASE("tensor_parallel: llama and gpt2, with biases, norms of heads, learned positions") {
  for (const bool sequence : {false, true}) {
    check(on_mesh("llama", {{"tp", 2}}, sequence,
                  loaded("llama", {{"kv_heads", 2},
                                   {"hidden", 51},
                                   {"qk_norm", true},
                                   {"bias", true},
                                   {"dropout", 0.1}})));
    check(on_mesh("gpt2", {{"tp", 2}}, sequence, loaded("gpt2", {{"dropout", 0.1}})));
    check(on_mesh("gpt2, swiglu, own head", {{"tp", 2}}, sequence,
                  loaded("gpt2", {{"activation", "swiglu"}, {"tied", false}})));
  }
}

TEST_CASE("tensor_parallel: 4 ranks repeat 2 key heads") {
  for (const bool sequence : {false, true})
    check(on_mesh("4 ranks", {{"tp", 4}}, sequence,
                  [](TrainingCase& c) { c.shape.value_bias = true; }));
}

TEST_CASE("tensor_parallel: beside data parallelism") {
  for (const bool sequence : {false, true})
    for (const char* owner : {"fsdp", "ddp"})
      check(on_mesh(std::string("dp 2 x tp 2 ") + owner, {{"dp", 2}, {"tp", 2}}, sequence,
                    [&](TrainingCase& c) {
                      c.owner = owner, c.shape.dropout = 0.1, c.by_micro_batch = !sequence;
                    }));
}

TEST_CASE("tensor_parallel: beside a pipeline") {
  for (const bool sequence : {false, true})
    check(on_mesh("pp 2 x tp 2", {{"pp", 2}, {"tp", 2}}, sequence, [](TrainingCase& c) {
      c.strategies.push_back({"probe_zero_bubble", "zero_bubble", "zb_h1"});
    }));
}

}  // namespace mortise::tests
