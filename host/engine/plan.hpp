#pragma once

#include <map>
#include <mortise/parallel/mesh.hpp>
#include <mortise/parallel/plan_builder.hpp>
#include <set>

namespace mortise::host {

// What the strategies of a run decide about its parameters and axes.
class Plan final : public PlanBuilder {
 public:
  // `infos`: of all parameters; `here`: the units of this rank out of `units`.
  Plan(std::vector<ParameterInfo> infos, std::int64_t units, const std::vector<std::int64_t>& here,
       std::vector<MeshAxis> axes, at::Device device = at::kCPU);
  std::vector<ParameterInfo> parameters() const override { return infos_; }
  std::vector<Box> boxes() const override { return boxes_; }
  std::int64_t units() const override { return units_; }
  void place(ParameterId parameter, const at::Tensor& tensor) override;
  void spread(std::string_view axis, Spread over) override;
  void cut(ParameterId parameter, std::string_view axis, const Box& box) override;
  Names summed_axes(ParameterId parameter) const override;
  std::string device() const override { return device_.str(); }

  bool is_here(std::size_t parameter) const { return !infos_[parameter].units.empty(); }
  const std::map<std::string, Spread>& spread_axes() const { return spread_; }
  const TensorList& placed() const { return placed_; }

 private:
  std::vector<ParameterInfo> infos_;
  std::int64_t units_;
  std::vector<MeshAxis> axes_;
  at::Device device_;
  std::vector<Box> boxes_;
  std::vector<std::set<std::string>> cut_over_;  // axes, for each parameter
  std::map<std::string, Spread> spread_;
  TensorList placed_;
};

}  // namespace mortise::host
