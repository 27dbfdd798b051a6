#pragma once

// What the lists of a Model owe: parameters, layers, units, buffers, placements.

#include <mortise/model/model.hpp>
#include <set>

#include "../report.hpp"

namespace mortise::conformance::model {

inline bool equal(const ParameterInfo& a, const ParameterInfo& b) {
  return a.name == b.name && a.shape == b.shape && a.units == b.units && a.role == b.role &&
         a.axes == b.axes && a.fused_parts == b.fused_parts && a.depth == b.depth &&
         a.master == b.master && a.compute == b.compute && a.trainable == b.trainable &&
         a.shard_axes == b.shard_axes;
}
inline bool equal(const Layer& a, const Layer& b) {
  return a.name == b.name && a.op == b.op && a.parameters == b.parameters &&
         a.attributes == b.attributes;
}
template <class T>
bool equal(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return equal(x, y); });
}

inline void check_units_of(const ParameterInfo& info, std::int64_t units, Report& report) {
  report.expect(!info.units.empty(), "parameters: each belongs to a unit");
  for (std::size_t i = 0; i != info.units.size(); ++i) {
    report.expect(info.units[i] >= 0 && info.units[i] < units, "parameters: units are in range");
    report.expect(i == 0 || info.units[i] > info.units[i - 1], "parameters: units ascend");
  }
}

inline void check_shape_of(const ParameterInfo& info, Report& report) {
  std::int64_t fused = 0, parts = 0;
  for (const std::int64_t size : info.shape)
    report.expect(size > 0, "parameters: no dimension is empty");
  report.expect(info.axes.empty() || info.axes.size() == info.shape.size(),
                "parameters: an axis for each dimension, or none");
  for (std::size_t d = 0; d != info.axes.size() && d != info.shape.size(); ++d)
    if (info.axes[d] == Axis::fused) fused += info.shape[d];
  for (const std::int64_t part : info.fused_parts) parts += part;
  report.expect(fused == parts, "parameters: fused_parts add up to the fused dimension");
}

inline void check_parameters(const Model& m, Report& report) {
  const std::vector<ParameterInfo> all = m.parameters();
  report.expect(equal(m.parameters(), all), "parameters: equal every time");
  const auto units = std::int64_t(m.units().size());
  std::set<std::string> names;
  for (const ParameterInfo& info : all) {
    const auto scope = report.inside(info.name.empty() ? "a parameter" : info.name);
    report.expect(!info.name.empty() && names.insert(info.name).second,
                  "parameters: names are unique and not empty");
    report.expect(info.role >= Role::matrix && info.role <= Role::other,
                  "parameters: the role is known");
    report.expect(info.depth >= -1, "parameters: depth is -1 or the number of a block");
    report.expect(info.master == DType::float32, "parameters: masters are float32");
    check_units_of(info, units, report);
    check_shape_of(info, report);
  }
}

inline void check_units(const Model& m, Report& report) {
  const Names units = m.units();
  report.expect(m.units() == units, "units: equal every time");
  report.expect(!units.empty(), "units: there is one");
  std::set<std::string> names;
  for (const std::string& name : units)
    report.expect(!name.empty() && names.insert(name).second,
                  "units: names are unique and not empty");
}

// Whether some unit has all the layer's parameters.
inline bool lies_in_one_unit(const Layer& layer, const std::vector<ParameterInfo>& infos,
                             std::int64_t units) {
  for (std::int64_t unit = 0; unit != units; ++unit) {
    bool all = true;
    for (const ParameterId p : layer.parameters) {
      const auto& own = infos[std::size_t(p)].units;
      all = all && std::find(own.begin(), own.end(), unit) != own.end();
    }
    if (all) return true;
  }
  return false;
}

inline void check_layers(const Model& m, Report& report) {
  const std::vector<Layer> all = m.layers();
  const std::vector<ParameterInfo> infos = m.parameters();
  report.expect(equal(m.layers(), all), "layers: equal every time");
  std::set<std::string> names;
  for (const Layer& layer : all) {
    const auto scope = report.inside(layer.name.empty() ? "a layer" : layer.name);
    report.expect(!layer.name.empty() && names.insert(layer.name).second,
                  "layers: names are unique and not empty");
    report.expect(std::count(layer.op.begin(), layer.op.end(), '/') == 2,
                  "layers: an operation is named vendor/name/major");
    bool in_range = true;
    for (const ParameterId p : layer.parameters)
      in_range = in_range && std::int64_t(p) >= 0 && std::size_t(p) < infos.size();
    if (report.expect(in_range, "layers: parameters are in range"))
      report.expect(lies_in_one_unit(layer, infos, std::int64_t(m.units().size())),
                    "layers: the parameters of a layer share a unit");
  }
}

inline void check_buffers(const Model& m, Report& report) {
  std::set<std::string> names;
  for (const ParameterInfo& info : m.parameters()) names.insert(info.name);
  for (const BufferInfo& b : m.buffers()) {
    report.expect(!b.name.empty() && names.insert(b.name).second,
                  "buffers: names are unique, among parameters too");
    report.expect(b.unit >= 0 && b.unit < std::int64_t(m.units().size()),
                  "buffers: the unit is in range");
  }
  for (const PlacementRule& rule : m.placements()) {
    report.expect(!rule.layers.empty(), "placements: a rule names layers");
    report.expect(
        rule.placement >= Placement::colwise && rule.placement <= Placement::replicate_partial,
        "placements: the placement is known");
  }
}

}  // namespace mortise::conformance::model
