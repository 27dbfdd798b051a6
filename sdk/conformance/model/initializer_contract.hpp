#pragma once

// What every Initializer owes its caller: values that no layout changes.

#include <mortise/model/initializer.hpp>

#include "../both_ways.hpp"
#include "sample_parameters.hpp"

namespace mortise::conformance {
namespace initializer {

inline at::Tensor filled(Initializer& i, const ParameterInfo& info, const Box& box,
                         std::uint64_t seed) {
  const Piece piece = empty_piece(ParameterId(0), box);
  i.fill(piece, info, seed);
  return piece.master;
}
inline at::Tensor whole(Initializer& i, const ParameterInfo& info, std::uint64_t seed) {
  return front_of(filled(i, info, whole_box(info.shape), seed), whole_box(info.shape))
      .view(info.shape);
}

inline std::vector<Box> cuts(const Shape& shape) {
  std::vector<Box> all;
  for (std::size_t d = 0; d != shape.size(); ++d)
    for (const std::int64_t first : {std::int64_t(0), shape[d] / 2}) {
      Box box = whole_box(shape);
      box.offset[d] = first;
      box.size[d] = first == 0 ? shape[d] / 2 : shape[d] - first;
      all.push_back(box);
    }
  Box middle = whole_box(shape);  // inside in every dimension
  for (std::size_t d = 0; d != shape.size(); ++d) {
    middle.offset[d] = shape[d] > 2 ? 1 : 0;
    middle.size[d] = shape[d] > 2 ? shape[d] - 2 : shape[d];
  }
  all.push_back(middle);
  return all;
}

inline void check_values(Initializer& i, const ParameterInfo& info, Report& report) {
  const at::Tensor values = whole(i, info, 5);
  report.expect(values.isfinite().all().item<bool>(), "fill: values are finite");
  report.expect(same_bits(whole(i, info, 5), values), "fill: the same seed gives the same values");
  const Box box = whole_box(info.shape);
  report.expect(padding_is_zero(filled(i, info, box, 5), box), "fill: padding stays zero");
  const Piece piece = empty_piece(ParameterId(0), box);
  piece.gradient.fill_(2);
  i.fill(piece, info, 5);
  report.expect(piece.gradient.eq(2).all().item<bool>(), "fill: writes the master alone");
}

inline void check_cuts(Initializer& i, const ParameterInfo& info, Report& report) {
  if (i.needs_whole(info)) return;
  const at::Tensor values = whole(i, info, 5);
  for (const Box& box : cuts(info.shape)) {
    const at::Tensor master = filled(i, info, box, 5);
    report.expect(same_bits(front_of(master, box), part_of(values, box)),
                  "fill: an element does not depend on how the parameter is cut");
    report.expect(padding_is_zero(master, box), "fill: padding stays zero");
  }
}

}  // namespace initializer

inline void check_initializer_contract(Initializer& i, Report& report) {
  bool seed_matters = false, name_matters = false;
  for (const ParameterInfo& info : sample_parameters())
    report.section(info.name, [&] {
      const auto scope = report.inside(info.name);
      initializer::check_values(i, info, report);
      initializer::check_cuts(i, info, report);
      report.expect(i.needs_whole(info) == i.needs_whole(info), "needs_whole: the same every time");
      const at::Tensor values = initializer::whole(i, info, 5);
      ParameterInfo renamed = info;
      renamed.name += "x";
      const bool random = values.numel() > 1 && !values.eq(values.flatten()[0]).all().item<bool>();
      if (!random) return;
      seed_matters = seed_matters || !same_bits(initializer::whole(i, info, 6), values);
      name_matters = name_matters || !same_bits(initializer::whole(i, renamed, 5), values);
      report.expect(seed_matters, "fill: another seed gives other values");
      report.expect(name_matters, "fill: another name gives other values");
    });
}

}  // namespace mortise::conformance
