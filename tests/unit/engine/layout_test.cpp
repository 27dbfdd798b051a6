// What the host refuses of meshes, selectors and cutters, and how tasks are kept.

#include "host/engine/layout.hpp"

#include <mortise/parallel/schedule_fault.hpp>

#include "host/distributed/mesh.hpp"
#include "host/engine/weight_gradient_queue.hpp"
#include "host/failure.hpp"
#include "sdk/conformance/model/sample_parameters.hpp"
#include "tests/doctest_with_torch.hpp"

namespace mortise::tests {
namespace {

using conformance::kSampleUnits;
using conformance::sample_parameters;

// A group that knows its size and nothing else.
class FakeGroup final : public Communicator {
 public:
  explicit FakeGroup(std::int64_t size) : size_(size) {}
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return size_; }
  bool supports(std::string_view) const override { return false; }
  using W = std::unique_ptr<Work>;
  W all_gather(const at::Tensor&, const at::Tensor&) override { return {}; }
  W reduce_scatter(const at::Tensor&, const at::Tensor&) override { return {}; }
  W reduce_scatter_ordered(const at::Tensor&, const at::Tensor&) override { return {}; }
  W all_to_all(const at::Tensor&, const at::Tensor&) override { return {}; }
  W all_to_all_v(const at::Tensor&, const at::Tensor&, std::span<const std::int64_t>,
                 std::span<const std::int64_t>) override {
    return {};
  }
  W all_reduce(const at::Tensor&, ReduceOp) override { return {}; }
  W broadcast(const at::Tensor&, std::int64_t) override { return {}; }
  W send(const at::Tensor&, std::int64_t) override { return {}; }
  W receive(const at::Tensor&, std::int64_t) override { return {}; }
  void barrier() override {}

 private:
  std::int64_t size_;
};

class FakeMesh final : public Mesh {
 public:
  explicit FakeMesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)) {}
  std::vector<MeshAxis> axes() const override { return axes_; }
  std::unique_ptr<Communicator> communicator(std::string_view names) override {
    std::int64_t size = 1;
    for (const MeshAxis& a : axes_)
      if (("," + std::string(names) + ",").find("," + a.name + ",") != std::string::npos)
        size *= a.size;
    return std::make_unique<FakeGroup>(size);
  }

 private:
  std::vector<MeshAxis> axes_;
};

struct FakeCutter final : Cutter {
  explicit FakeCutter(std::function<void(PlanBuilder&)> p) : body(std::move(p)) {}
  void plan(PlanBuilder& plan) override { body(plan); }
  std::function<void(PlanBuilder&)> body;
};

// Consecutive units; GPipe with one fault.
struct FakeSelector final : Selector {
  std::vector<std::int64_t> units(std::int64_t stage, std::int64_t stages,
                                  std::int64_t units) const override {
    std::vector<std::int64_t> mine;
    for (std::int64_t u = stage * units / stages; u != (stage + 1) * units / stages; ++u)
      if (!(leaves_out_unit && u == 0)) mine.push_back(u);
    return mine;
  }
  std::vector<Action> schedule(std::int64_t stage, std::int64_t stages, std::int64_t units,
                               std::int64_t count) const override {
    using Kind = Action::Kind;
    const std::vector<std::int64_t> mine = this->units(stage, stages, units);
    const bool first = stage == 0, last = stage + 1 == stages;
    std::vector<Action> all;
    for (std::int64_t m = 0; m != count; ++m) {
      if (!first) all.push_back({Kind::receive_activations, m, mine.front(), stage - 1});
      for (const std::int64_t u : mine) all.push_back({Kind::forward, m, u});
      if (!last) all.push_back({Kind::send_activations, m, mine.back(), stage + 1});
    }
    for (std::int64_t m = 0; m != count; ++m) {
      if (!last) all.push_back({Kind::receive_gradients, m, mine.back(), stage + 1});
      for (auto u = mine.rbegin(); u != mine.rend(); ++u) all.push_back({Kind::backward, m, *u});
      if (!first) all.push_back({Kind::send_gradients, m, mine.front(), stage - 1});
    }
    if (change && stage == 0) change(all);
    return all;
  }
  bool leaves_out_unit = false;
  std::function<void(std::vector<Action>&)> change;
};

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

struct Refused {
  std::vector<MeshAxis> axes;
  bool selects = false;
  std::function<void(PlanBuilder&)> plan;
  std::int64_t micro_batches = 8;
  const char* text;
};

std::string refusal_of(const Refused& r) {
  FakeMesh mesh(r.axes);
  FakeSelector selector;
  FakeCutter cutter(r.plan);
  return refusal([&] {
    const host::Layout layout({mesh, r.selects ? &selector : nullptr,
                               r.plan ? std::vector<Cutter*>{&cutter} : std::vector<Cutter*>{}},
                              {sample_parameters(), {}, kSampleUnits});
    layout.require_micro_batches(r.micro_batches);
  });
}

}  // namespace

TEST_CASE("layout: meshes that nothing fills are refused, with numbers and what is allowed") {
  const auto spread = [](const char* axis, Spread over) {
    return [=](PlanBuilder& p) { p.spread(axis, over); };
  };
  const std::string units = std::to_string(kSampleUnits);
  const std::string too_many =
      "mesh: pp: 9 stages are more than the model's " + units + " units: write 1 to " + units;
  for (const Refused& r :
       {Refused{{{"pp", 2}},
                false,
                {},
                8,
                "mesh: pp: 2 stages, and no strategy under parallel: puts units on them: add a "
                "selector such as a pipeline, or remove mesh.pp"},
        Refused{{{"pp", 9}}, true, {}, 8, too_many.c_str()},
        Refused{{{"dp", 2}, {"cp", 3}},
                false,
                {},
                8,
                "mesh: cp: 3 ranks of dp 2 x cp 3, and no strategy under parallel: uses this axis: "
                "add a cutter that does, or remove mesh.cp"},
        Refused{{{"dp", 2}, {"ep", 2}},
                false,
                spread("cp", Spread::positions),
                8,
                "mesh: ep: 2 ranks of dp 2 x ep 2, and no strategy under parallel: uses this axis: "
                "add a cutter that does, or remove mesh.ep"},
        Refused{{{"pp", 2}, {"dp", 4}},
                true,
                {},
                3,
                "mesh: pp: 2 stages need as many micro-batches, 3 on 4 data-parallel ranks are too "
                "few: lower batch.micro_batch, or write pp: 1"},
        Refused{{{"dp", 2}, {"ep", 2}},
                false,
                spread("ep", Spread::micro_batches),
                7,
                "mesh: dp 2 x ep 2: 7 micro-batches in a step do not divide by the 2 ranks that "
                "compute together, each on its own: choose batch.micro_batch so that they do"},
        Refused{{{"dp", 2}},
                false,
                spread("dp", Spread::positions),
                8,
                "spread: axis dp is not a cutter's to take"},
        Refused{{{"cp", 2}},
                false,
                [](PlanBuilder& p) {
                  p.spread("cp", Spread::positions), p.spread("cp", Spread::positions);
                },
                8,
                "spread: axis cp is spread already: two cutters cannot share it"}})
    CHECK(refusal_of(r) == r.text);
}

TEST_CASE("layout: a selector whose schedule cannot run is refused before anything is made") {
  FakeMesh mesh({{"pp", 2}});
  FakeSelector selector;
  selector.change = [](std::vector<Action>& all) { all.pop_back(); };
  const std::string text = refusal([&] {
    const host::Layout layout({mesh, &selector, {}}, {sample_parameters(), {}, kSampleUnits});
  });
  CHECK(text == "the selector's schedule for 2 stages, " + std::to_string(kSampleUnits) +
                    " units and 2 micro-batches cannot run: stage 0 leaves passes out: 2 forward "
                    "and 1 backward of 2");
}

TEST_CASE("layout: cuts outside of an axis or a shape are refused") {
  const auto cut = [](const char* axis, std::int64_t offset) {
    return [=](PlanBuilder& p) {
      p.spread("ep", Spread::micro_batches);
      Box box{Shape(p.parameters()[0].shape.size(), 0), p.parameters()[0].shape};
      box.offset[0] = offset;
      p.cut(ParameterId(0), axis, box);
    };
  };
  const std::string name = sample_parameters()[0].name;
  CHECK(refusal_of({{{"ep", 2}}, false, cut("tp", 0), 8, ""}) ==
        "cut: " + name + " over axis tp, which is not spread");
  CHECK(refusal_of({{{"ep", 2}}, false, cut("ep", 1), 8, ""}) ==
        "cut: the box of " + name + " leaves its shape");
  CHECK(refusal_of({{{"ep", 2}}, false, cut("ep", 0), 8, ""}) == "nothing was thrown");
}

TEST_CASE("layout: gradients are summed over dp and spread axes, not over those of a cut") {
  FakeMesh mesh({{"pp", 1}, {"dp_replicate", 2}, {"dp", 2}, {"ep", 2}, {"cp", 2}});
  FakeCutter cutter([](PlanBuilder& p) {
    p.spread("ep", Spread::micro_batches);
    p.spread("cp", Spread::positions);
    p.cut(ParameterId(1), "ep", p.boxes()[1]);
  });
  host::Layout layout({mesh, nullptr, {&cutter}}, {sample_parameters(), {}, kSampleUnits});
  CHECK(layout.plan().summed_axes(ParameterId(0)) == Names{"dp_replicate", "dp", "ep", "cp"});
  CHECK(layout.plan().summed_axes(ParameterId(1)) == Names{"dp_replicate", "dp", "cp"});
  CHECK(layout.micro_batches().size() == 8);
  CHECK(layout.everyone().size() == 16);
}

TEST_CASE("schedule_fault: says what cannot run") {
  using Kind = Action::Kind;
  FakeSelector selector;
  CHECK(schedule_fault(selector, 2, 4, 3) == "");
  const auto fault = [&](std::function<void(std::vector<Action>&)> change) {
    selector.change = std::move(change);
    return schedule_fault(selector, 2, 4, 2);
  };
  CHECK(fault([](auto& all) { all.pop_back(); }) ==
        "stage 0 leaves passes out: 4 forward and 3 backward of 4");
  CHECK(fault([](auto& all) { std::swap(all[0], all[1]); }) ==
        "stage 0: forward of unit 1, micro-batch 0: its inputs are not there");
  CHECK(fault([](auto& all) { all.insert(all.begin() + 1, all[0]); }) ==
        "stage 0: forward of unit 0, micro-batch 0: it is done already");
  CHECK(fault([](auto& all) { all[2].peer = 0; }) ==
        "stage 0: send_activations of unit 1, micro-batch 0, with stage 0: the peer does not have "
        "the next unit");
  CHECK(fault([](auto& all) { std::rotate(all.begin(), all.begin() + 6, all.begin() + 7); }) ==
        "stage 0 waits for ever: receive_gradients of unit 1, micro-batch 0, with stage 1");
  CHECK(fault([](auto& all) { std::rotate(all.begin(), all.begin() + 3, all.begin() + 6); }) ==
        "stage 1: receive_activations of unit 2, micro-batch 0, with stage 0: the peer sends "
        "something else first");
  CHECK(fault([](auto& all) {
          all.insert(all.begin(), Action{Kind::weight_backward, 0, 1});
        }) == "stage 0: weight_backward of unit 1, micro-batch 0: backward is not done");
  selector.change = {};
  selector.leaves_out_unit = true;
  CHECK(schedule_fault(selector, 2, 4, 2) == "unit 0 is not on exactly one stage");
}

TEST_CASE("mesh: ranks that the axes do not divide are refused") {
  host::MeshSizes sizes;
  sizes.axes[0].size = 2;  // pp
  sizes.axes[4].size = 3;  // cp
  CHECK(host::axes_for(sizes, 12).size() == 3);
  CHECK(host::axes_for(sizes, 12)[1].size == 2);
  CHECK_THROWS_WITH_AS(host::axes_for(sizes, 8),
                       "error[C0301]: mesh: pp 2 x cp 3 x dp auto: 8 ranks are no multiple of 6: "
                       "start it with -n 12",
                       host::Failure);
}

TEST_CASE("weight gradients: tasks go to the pass that collects, and nowhere else") {
  host::WeightGradientQueue queue;
  Remote<WeightGradients> crossed(kit::object_of<WeightGradients>(queue));
  const std::string outside =
      "a weight gradient is deferred outside of a backward pass of the engine";
  for (const WeightGradients* way : {static_cast<const WeightGradients*>(&queue),
                                     static_cast<const WeightGradients*>(&crossed)}) {
    int ran = 0;
    const auto alive = std::make_shared<int>();
    host::WeightTasks tasks;
    {
      const host::WeightGradientQueue::Collecting collecting(queue, tasks);
      way->defer([&ran, alive] { ++ran; });
    }
    CHECK(ran == 0);
    REQUIRE(tasks.size() == 1);
    tasks[0]->run();
    CHECK(ran == 1);
    CHECK(alive.use_count() == 2);
    tasks.clear();
    CHECK(alive.use_count() == 1);
    CHECK(refusal([&] { way->defer([] {}); }) == outside);
  }
}

}  // namespace mortise::tests
