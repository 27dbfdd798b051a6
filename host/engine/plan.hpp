#pragma once

#include <map>
#include <mortise/parallel/mesh.hpp>
#include <mortise/parallel/plan_builder.hpp>
#include <set>

namespace mortise::host {

// What the strategies of a run decide about its parameters and axes.
class Plan final : public PlanBuilder {
 public:
  // What a model says of itself, and the parameters of links.
  struct Lists {
    std::vector<ParameterInfo> parameters;
    std::vector<PlacementRule> placements;
    std::int64_t units = 0;
  };
  // `here`: the units of this rank.
  Plan(Lists lists, const std::vector<std::int64_t>& here, std::vector<MeshAxis> axes,
       at::Device device = at::kCPU);
  std::vector<ParameterInfo> parameters() const override { return lists_.parameters; }
  std::vector<Box> boxes() const override { return boxes_; }
  std::int64_t units() const override { return lists_.units; }
  std::vector<PlacementRule> placements() const override { return lists_.placements; }
  void place(ParameterId parameter, const at::Tensor& tensor) override;
  void spread(std::string_view axis, Spread over) override;
  void cut(ParameterId parameter, std::string_view axis, const Box& box) override;
  Names summed_axes(ParameterId parameter) const override;
  std::string device() const override { return device_.str(); }
  void partial(ParameterId parameter, std::string_view axis) override;

  bool is_here(std::size_t parameter) const { return !lists_.parameters[parameter].units.empty(); }
  // Whether this rank's gradient of the parameter counts: not where a rank before it has the same.
  bool gives_gradient(std::size_t parameter) const;
  const std::map<std::string, Spread>& spread_axes() const { return spread_; }
  const TensorList& placed() const { return placed_; }

 private:
  const ParameterInfo& info(ParameterId parameter) const {
    return lists_.parameters.at(std::size_t(parameter));
  }

  Lists lists_;
  std::vector<MeshAxis> axes_;
  at::Device device_;
  std::vector<Box> boxes_;
  std::vector<std::set<std::string>> cut_over_, partial_over_;  // axes, for each parameter
  std::map<std::string, Spread> spread_;
  TensorList placed_;
};

}  // namespace mortise::host
