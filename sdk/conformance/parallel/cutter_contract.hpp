#pragma once

// What every Cutter owes its caller, seen from one rank: made with a Mesh whose axes have size 1,
// so that nothing is cut.

#include <ATen/ATen.h>

#include <map>
#include <mortise/parallel/cutter.hpp>

#include "../both_ways.hpp"
#include "../model/sample_parameters.hpp"

namespace mortise::conformance {
namespace cutter {

// Keeps what the cutter decides.
class KeptCuts final : public PlanBuilder {
 public:
  explicit KeptCuts(Report& report) : report_(report) {
    for (const ParameterInfo& info : infos_) boxes_.push_back(whole_box(info.shape));
  }
  std::vector<ParameterInfo> parameters() const override { return infos_; }
  std::vector<Box> boxes() const override { return boxes_; }
  std::int64_t units() const override { return kSampleUnits; }
  void place(ParameterId, const at::Tensor&) override {
    report_.expect(false, "plan: a cutter places no tensors");
  }
  void spread(std::string_view axis, Spread over) override {
    report_.expect(axes.emplace(axis, over).second, "plan: spreads an axis once");
  }
  void cut(ParameterId parameter, std::string_view axis, const Box& box) override {
    report_.expect(axes.count(std::string(axis)) != 0, "plan: cuts over axes that it has spread");
    report_.expect(box == boxes_.at(std::size_t(parameter)), "plan: one rank has all");
  }
  std::map<std::string, Spread> axes;

 private:
  Report& report_;
  std::vector<ParameterInfo> infos_ = sample_parameters();
  std::vector<Box> boxes_;
};

inline void check_batch(Cutter& c, Report& report) {
  const at::Tensor ids = at::arange(24, at::kLong).view({2, 12});
  Batch batch;
  for (const char* name : {"tokens", "targets", "positions"}) batch.set(name, ids.clone());
  const Batch part = c.prepare_batch(batch);
  for (const Batch::Entry& e : batch.entries()) {
    report.expect(e.value.equal(ids), "prepare_batch: leaves the batch as it is");
    if (report.expect(part.has(e.name), "prepare_batch: keeps every name"))
      report.expect(part[e.name].equal(ids), "prepare_batch: one rank has all");
  }
}

}  // namespace cutter

// `c`: fresh, before its plan; it is used up.
inline void check_cutter_contract(Cutter& c, Report& report) {
  report.section("plan", [&] {
    cutter::KeptCuts cuts(report);
    c.plan(cuts);
    report.expect(!cuts.axes.empty(), "plan: spreads the axes that it uses");
  });
  report.section("prepare_batch", [&] { cutter::check_batch(c, report); });
}

}  // namespace mortise::conformance
