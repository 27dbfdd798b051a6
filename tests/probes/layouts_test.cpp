// Runs over axes beyond dp, with probe plugins as strategies, against a plain loop in one process.

#include <ATen/Parallel.h>

#include "host/distributed/mesh.hpp"
#include "host/engine/weight_gradient_queue.hpp"
#include "sdk/conformance/parallel/cutter_contract.hpp"
#include "sdk/conformance/parallel/selector_contract.hpp"
#include "tests/contract/plugin_contract.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/no_failures.hpp"
#include "tests/training/engine_run.hpp"
#include "tests/training/forked_ranks.hpp"

namespace mortise::tests {
namespace {

using Mesh_ = std::vector<std::pair<std::string, std::int64_t>>;

TrainingCase on_mesh(const std::string& name, Mesh_ mesh,
                     const std::function<void(TrainingCase&)>& change = {}) {
  TrainingCase c;
  c.name = name, c.mesh = std::move(mesh), c.steps = 4;
  if (change) change(c);
  return c;
}

TrainingCase::Strategy pipeline(const std::string& schedule) {
  return {"probe_zero_bubble", "zero_bubble", schedule};
}
const TrainingCase::Strategy kRing{"probe_ring_attention", "ring_attention", ""};
const TrainingCase::Strategy kExperts{"probe_moe", "expert_parallel", ""};

void require_equal(const TrainingResult& plain, const TrainingResult& mine) {
  if (const std::int64_t n = differing(plain.parameters, mine.parameters); n != 0)
    throw std::runtime_error(std::to_string(n) + " elements differ");
  if (plain.losses != mine.losses) throw std::runtime_error("losses differ");
}

void require_close(double a, double b, const std::string& what) {
  if (!(std::abs(a - b) <= 1e-5 * std::abs(a)))
    throw std::runtime_error(what + ": " + std::to_string(b) + ", expected " + std::to_string(a));
}

// Losses and norms of all steps within 1e-5.
void require_close(const TrainingResult& plain, const TrainingResult& mine) {
  for (std::size_t s = 0; s != plain.losses.size(); ++s) {
    require_close(plain.losses[s], mine.losses[s], "loss");
    require_close(plain.norms[s], mine.norms[s], "norm");
  }
}

// Each gradient of the last step within 1e-5 of its own norm.
void require_close_gradients(const TrainingResult& plain, const TrainingResult& mine) {
  require_close(plain, mine);
  for (std::size_t i = 0; i != plain.gradients.size(); ++i) {
    const double error = plain.gradients[i].sub(mine.gradients[i]).norm().item<double>();
    const double size = plain.gradients[i].norm().item<double>();
    if (!(error <= 1e-5 * size))
      throw std::runtime_error("gradient " + std::to_string(i) + " is off by " +
                               std::to_string(error / size) + " of its norm");
  }
}

using Require = void (*)(const TrainingResult& plain, const TrainingResult& mine);

// `size` ranks against the plain loop; evaluation against one rank.
void check(const TrainingCase& c, Require require) {
  int size = 1;
  for (const auto& [axis, ranks] : c.mesh) size *= int(ranks);
  CAPTURE(c.name);
  const TemporaryFolder folder;
  const std::vector<int> codes = run_forked(size, [&](int rank) {
    at::set_num_threads(1);
    const TrainingResult mine = train_through_engine(c, rank, size, true, folder.path() / "store");
    if (rank != 0) return;
    try {
      require(train_plainly(c), mine);
      TrainingCase alone = c;
      for (auto& [axis, ranks] : alone.mesh) ranks = 1;
      require_close(train_through_engine(alone, 0, 1, true, {}).evaluation, mine.evaluation,
                    "evaluation");
    } catch (const std::exception& e) {
      throw std::runtime_error(c.name + ": " + e.what());
    }
  });
  for (const int code : codes) CHECK(code == 0);
}

// Gradients at equal weights, then losses of some steps.
void check_close(TrainingCase c) {
  check(c, require_close);
  c.steps = 1;
  check(c, require_close_gradients);
}

}  // namespace

TEST_CASE("zero_bubble: 2 stages equal a plain loop bitwise, whatever the schedule") {
  for (const char* schedule : {"gpipe", "1f1b", "zb_h1"})
    for (const char* owner : {"fsdp", "ddp"})
      for (const bool tied : {true, false})
        check(on_mesh(std::string(schedule) + " " + owner + (tied ? " tied" : ""), {{"pp", 2}},
                      [&](TrainingCase& c) {
                        c.strategies = {pipeline(schedule)}, c.owner = owner;
                        c.shape.tied = tied, c.clip_norm = 0.05;
                      }),
              require_equal);
}

TEST_CASE("zero_bubble: bitwise with dropout and recomputation, and on one rank") {
  const auto change = [](TrainingCase& c) {
    c.strategies = {pipeline("zb_h1")}, c.shape.dropout = 0.1, c.recompute = true;
    c.micro_batches = 5;
  };
  check(on_mesh("dropout, recomputation, 2 stages", {{"pp", 2}}, change), require_equal);
  check(on_mesh("dropout, recomputation, 1 stage", {{"pp", 1}}, change), require_equal);
}

TEST_CASE("meshes: 4 stages; stages with sharding; replicas of shards: bitwise") {
  const auto split = [](TrainingCase& c) {
    c.strategies = {pipeline("zb_h1")}, c.clip_norm = 0.05;
  };
  check(on_mesh("pp 4", {{"pp", 4}}, split), require_equal);
  check(on_mesh("pp 2 x dp 2", {{"pp", 2}, {"dp", 2}},
                [&](TrainingCase& c) { split(c), c.micro_batches = 7, c.delays = true; }),
        require_equal);
  for (const char* owner : {"fsdp", "ddp"})
    check(on_mesh("dp_replicate 2 x dp 2", {{"dp_replicate", 2}, {"dp", 2}},
                  [&](TrainingCase& c) { c.owner = owner, c.clip_norm = 0.05; }),
          require_equal);
}

TEST_CASE("ring_attention: 1 and 2 ranks, and 2 x 2, have the gradients of a plain loop") {
  const auto change = [](TrainingCase& c) {
    c.strategies = {kRing}, c.learning_rate = 1e-3, c.exact_attention = true;
    c.shape.value_bias = false;
  };
  check_close(on_mesh("cp 1", {{"cp", 1}}, change));
  for (const char* owner : {"fsdp", "ddp"})
    check_close(on_mesh(std::string("cp 2 ") + owner, {{"cp", 2}},
                        [&](TrainingCase& c) { change(c), c.owner = owner, c.recompute = true; }));
  check_close(on_mesh("dp 2 x cp 2", {{"dp", 2}, {"cp", 2}}, change));
  check_close(on_mesh("pp 2 x cp 2", {{"pp", 2}, {"cp", 2}}, [&](TrainingCase& c) {
    change(c), c.strategies.push_back(pipeline("1f1b"));
  }));
}

TEST_CASE("moe: experts on 1 and 2 ranks, and 2 x 2, have the gradients of a dense loop") {
  const auto change = [](TrainingCase& c) {
    c.model = "moe", c.strategies = {kExperts}, c.learning_rate = 1e-3;
  };
  check_close(on_mesh("ep 1", {{"ep", 1}}, change));
  for (const char* owner : {"fsdp", "ddp"})
    check_close(on_mesh(std::string("ep 2 ") + owner, {{"ep", 2}},
                        [&](TrainingCase& c) { change(c), c.owner = owner; }));
  check_close(on_mesh("dp 2 x ep 2", {{"dp", 2}, {"ep", 2}}, change));
}

TEST_CASE("probes: keep the contracts of selectors and cutters") {
  host::RankEnvironment alone;
  alone.size = 1;
  host::HostMesh mesh({{"dp", 1}}, alone, nullptr, std::chrono::seconds(20));
  host::WeightGradientQueue queue;
  const Surroundings surroundings{
      .services = {{Remote<Mesh>::id, kit::object_of<Mesh>(mesh)},
                   {Remote<WeightGradients>::id, kit::object_of<WeightGradients>(queue)}}};
  conformance::Report report;
  for (const char* schedule : {"gpipe", "1f1b", "zb_h1"}) {
    const auto scope = report.inside(schedule);
    const LoadedComponent selector("probe_zero_bubble", "zero_bubble", {{"schedule", schedule}},
                                   surroundings);
    check_both_ways<Selector>(
        selector, report, [&](Selector& s) { conformance::check_selector_contract(s, report); });
  }
  for (const TrainingCase::Strategy& s : {kRing, kExperts}) {
    const auto scope = report.inside(s.key);
    check_fresh_both_ways<Cutter>(
        report,
        [&] {
          return std::make_unique<LoadedComponent>(s.plugin, s.key, SettingList{}, surroundings);
        },
        [&](Cutter& c) { conformance::check_cutter_contract(c, report); });
  }
  check_no_failures(report);
}

}  // namespace mortise::tests
