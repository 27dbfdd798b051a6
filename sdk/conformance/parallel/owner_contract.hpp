#pragma once

// What every Owner owes its caller, seen from one rank: made with a Mesh whose axes have size 1.
// Gradients are small whole numbers, so that sums are exact in whatever order they are made.

#include <cmath>
#include <limits>
#include <map>
#include <mortise/parallel/owner.hpp>

#include "../both_ways.hpp"
#include "../model/sample_parameters.hpp"

namespace mortise::conformance {
namespace owner {

// Keeps what the owner places.
class KeptPlan final : public PlanBuilder {
 public:
  std::vector<ParameterInfo> parameters() const override { return infos_; }
  std::vector<Box> boxes() const override {
    std::vector<Box> all;
    for (const ParameterInfo& info : infos_) all.push_back(whole_box(info.shape));
    return all;
  }
  std::int64_t units() const override { return kSampleUnits; }
  void place(ParameterId parameter, const at::Tensor& tensor) override {
    ++times[parameter];
    placed[parameter] = tensor;
  }
  std::map<ParameterId, int> times;
  std::map<ParameterId, at::Tensor> placed;

 private:
  std::vector<ParameterInfo> infos_ = sample_parameters();
};

inline bool uses(const ParameterInfo& info, std::int64_t unit) {
  return std::find(info.units.begin(), info.units.end(), unit) != info.units.end();
}

// A run as the engine makes it, with whole numbers for gradients.
class Walk {
 public:
  Walk(Owner& o, Report& report) : o_(o), report_(report), infos_(plan_.parameters()) {}

  const KeptPlan& plan() const { return plan_; }
  void make_plan() { o_.plan(plan_); }

  // The gradient of one use of a parameter by one micro-batch; every third is undefined: zero.
  static at::Tensor gradient(const ParameterInfo& info, std::int64_t unit, std::int64_t step,
                             std::int64_t k) {
    const std::int64_t seed = step * 7 + k * 3 + unit;
    if (seed % 3 == 2) return {};
    return sample_values(info.name, info.shape).mul(2).round().add(double(seed % 5)).to(at::kFloat);
  }

  void step(std::int64_t step, std::int64_t micro_batches) {
    o_.begin_step({step, micro_batches, true});
    for (std::int64_t k = 0; k != micro_batches; ++k) {
      const bool last = k + 1 == micro_batches;
      forward(k, Phase::forward, last);
      for (std::int64_t u = kSampleUnits - 1; u >= 0; --u)
        backward(step, {u, k, Phase::backward, u - 1, last});
    }
    o_.finish_gradients();
  }
  // All micro-batches forward, then backward, then their gradients: as a pipeline that splits
  // backward passes.
  void split_step(std::int64_t step, std::int64_t micro_batches) {
    o_.begin_step({step, micro_batches, true});
    for (std::int64_t k = 0; k != micro_batches; ++k)
      forward(k, Phase::forward, k + 1 == micro_batches);
    for (std::int64_t k = 0; k != micro_batches; ++k)
      for (std::int64_t u = kSampleUnits - 1; u >= 0; --u)
        visit({u, k, Phase::backward, -1, false}, [] {});
    for (std::int64_t u = kSampleUnits - 1; u >= 0; --u)
      for (std::int64_t k = 0; k != micro_batches; ++k) {
        const Visit v{u, k, Phase::backward, -1, k + 1 == micro_batches};
        o_.gradients_ready(v, gradients(step, v));
      }
    o_.finish_gradients();
  }
  void forward(std::int64_t k, Phase phase, bool last) {
    for (std::int64_t u = 0; u != kSampleUnits; ++u)
      visit({u, k, phase, u + 1 < kSampleUnits ? u + 1 : (phase == Phase::forward ? u : -1), last},
            [] {});
  }
  void evaluate(std::int64_t step) {
    o_.begin_step({step, 1, false});
    forward(0, Phase::evaluate, false);
  }
  // What the sum over a step's micro-batches and units must be, flat.
  at::Tensor expected(std::size_t p, std::int64_t step, std::int64_t micro_batches) const {
    at::Tensor sum = at::zeros(infos_[p].shape);
    if (!infos_[p].trainable) return sum.flatten();
    for (std::int64_t k = 0; k != micro_batches; ++k)
      for (const std::int64_t unit : infos_[p].units)
        if (const at::Tensor g = gradient(infos_[p], unit, step, k); g.defined()) sum.add_(g);
    return sum.flatten();
  }

 private:
  template <class F>
  void visit(const Visit& v, F work) {
    o_.before(v);
    for (std::size_t p = 0; p != infos_.size(); ++p)
      if (uses(infos_[p], v.unit)) check_there(p);
    work();
    o_.after(v);
  }
  TensorList gradients(std::int64_t step, const Visit& v) const {
    TensorList all;
    for (const ParameterInfo& info : infos_)
      if (info.trainable && uses(info, v.unit))
        all.push_back(gradient(info, v.unit, step, v.micro_batch));
    return all;
  }
  void backward(std::int64_t step, const Visit& v) {
    visit(v, [&] { o_.gradients_ready(v, gradients(step, v)); });
  }
  void check_there(std::size_t p) {
    const at::Tensor& leaf = plan_.placed[ParameterId(p)];
    if (!leaf.defined() || leaf.sizes() != at::IntArrayRef(infos_[p].shape)) return;
    for (const Piece& piece : o_.pieces())
      if (piece.parameter == ParameterId(p))
        report_.expect(part_of(leaf.detach(), piece.box).equal(front_of(piece.master, piece.box)),
                       "before: the unit's parameters hold the masters");
  }

  Owner& o_;
  Report& report_;
  KeptPlan plan_;
  std::vector<ParameterInfo> infos_;
};

inline void check_plan(Owner& o, Walk& walk, Report& report) {
  walk.make_plan();
  const std::vector<ParameterInfo> infos = walk.plan().parameters();
  for (std::size_t p = 0; p != infos.size(); ++p) {
    const auto scope = report.inside(infos[p].name);
    const auto times = walk.plan().times.find(ParameterId(p));
    if (!report.expect(times != walk.plan().times.end() && times->second == 1,
                       "plan: places each parameter once"))
      continue;
    const at::Tensor& leaf = walk.plan().placed.at(ParameterId(p));
    report.expect(leaf.sizes() == at::IntArrayRef(infos[p].shape),
                  "plan: a tensor has the size of its box");
    report.expect(leaf.scalar_type() == at::kFloat, "plan: a tensor is float32");
    at::Tensor covered = at::zeros(infos[p].shape);
    for (const Piece& piece : o.pieces()) {
      if (piece.parameter != ParameterId(p)) continue;
      at::Tensor part = covered;
      for (std::size_t d = 0; d != infos[p].shape.size(); ++d)
        part = part.narrow(std::int64_t(d), piece.box.offset[d], piece.box.size[d]);
      part.add_(1);
    }
    report.expect(covered.eq(1).all().item<bool>(), "pieces: cover each element exactly once");
  }
}

inline void check_pieces(Owner& o, Report& report) {
  const std::vector<Piece> pieces = o.pieces(), again = o.pieces();
  report.expect(pieces.size() == again.size(), "pieces: the same every time");
  for (std::size_t i = 0; i != pieces.size() && i != again.size(); ++i) {
    const Piece& p = pieces[i];
    report.expect(p.master.is_alias_of(again[i].master) &&
                      p.gradient.is_alias_of(again[i].gradient) &&
                      p.master.data_ptr() == again[i].master.data_ptr(),
                  "pieces: the same tensors every time");
    for (const at::Tensor& t : {p.master, p.gradient}) {
      report.expect(t.dim() == 1 && t.scalar_type() == at::kFloat && t.is_contiguous(),
                    "pieces: masters and gradients are one-dimensional float32");
      if (report.expect(t.numel() == padded(p.box.count()),
                        "pieces: are padded to a multiple of 16"))
        report.expect(padding_is_zero(t, p.box), "pieces: padding is zero");
    }
  }
}

inline void fill_masters(Owner& o, double scale) {
  const std::vector<ParameterInfo> infos = sample_parameters();
  for (const Piece& p : o.pieces()) {
    const ParameterInfo& info = infos[std::size_t(p.parameter)];
    front_of(p.master, p.box)
        .copy_(part_of(sample_values(info.name, info.shape).mul(scale), p.box));
  }
}

inline void check_sums(Owner& o, const Walk& walk, std::int64_t step, std::int64_t micro_batches,
                       Report& report) {
  TensorList all;
  for (const Piece& piece : o.pieces()) {
    const auto p = std::size_t(piece.parameter);
    const ParameterInfo info = sample_parameters()[p];
    const auto scope = report.inside(info.name);
    const at::Tensor sum =
        part_of(walk.expected(p, step, micro_batches).view(info.shape), piece.box);
    report.expect(
        front_of(piece.gradient, piece.box).equal(sum),
        "finish_gradients: the gradient is the sum over micro-batches and units of this step");
    report.expect(padding_is_zero(piece.gradient, piece.box),
                  "finish_gradients: padding stays zero");
    all.push_back(sum.to(at::kDouble).abs());
  }
  const at::Tensor gradient = at::cat(all);
  for (const double p : {1.0, 2.0, std::numeric_limits<double>::infinity()}) {
    const at::Tensor part = o.norm_part(p);
    const at::Tensor expected = std::isinf(p) ? gradient.max() : gradient.pow(p).sum();
    report.expect(part.dim() == 0 && part.scalar_type() == at::kDouble,
                  "norm_part: is 0-d float64");
    report.expect(part.item<double>() == expected.item<double>(),
                  "norm_part: the sum of |g|^p, or the largest |g|, of everything once");
  }
}

}  // namespace owner

// `o`: fresh, before its plan; it is used up.
inline void check_owner_contract(Owner& o, Report& report) {
  owner::Walk walk(o, report);
  report.section("plan", [&] { owner::check_plan(o, walk, report); });
  report.section("pieces", [&] { owner::check_pieces(o, report); });
  report.section("steps", [&] {
    for (std::int64_t step = 0; step != 3; ++step) {
      const auto scope = report.inside("step " + std::to_string(step));
      owner::fill_masters(o, 1.0 + double(step));
      walk.step(step, step + 1);
      owner::check_sums(o, walk, step, step + 1, report);
    }
  });
  report.section("split backward passes", [&] {
    owner::fill_masters(o, 2);
    walk.split_step(4, 3);
    owner::check_sums(o, walk, 4, 3, report);
  });
  report.section("evaluation", [&] {
    owner::fill_masters(o, -1);
    walk.evaluate(3);
    walk.step(3, 2);
    owner::check_sums(o, walk, 3, 2, report);
  });
  report.section("abort", [&] { o.abort(); });
}

}  // namespace mortise::conformance
