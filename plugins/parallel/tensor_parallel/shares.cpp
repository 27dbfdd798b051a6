#include "shares.hpp"

#include <algorithm>
#include <mortise/pattern.hpp>
#include <optional>

namespace mortise_tp {
namespace {

using namespace mortise;

constexpr const char* kLinear = "mortise.op/linear/1";
constexpr const char* kEmbedding = "mortise.op/embedding/1";
constexpr const char* kLayout = "mortise.op/layout/1";

bool is_cut(Placement p) {
  return p == Placement::colwise || p == Placement::rowwise || p == Placement::vocabulary;
}

// A layer whose weight is cut.
struct Cut {
  LayerId id{};
  const Layer* layer = nullptr;
  Placement placement = Placement::colwise;
  std::int64_t dimension = 0, whole = 0, parts = 0;

  bool fits(std::int64_t ranks) const {
    if (parts == 0) return whole >= ranks;
    return parts % ranks == 0 || (placement == Placement::colwise && ranks % parts == 0);
  }
  // Parts are dealt out as evenly as they can be.
  Share share_of(const Ranks& ranks) const {
    const std::int64_t units = parts == 0 ? whole : parts, unit = whole / units;
    if (units < ranks.size)
      return {placement, whole, units * ranks.rank / ranks.size * unit, unit, true};
    const auto begin = [&](std::int64_t rank) { return units * rank / ranks.size * unit; };
    return {placement, whole, begin(ranks.rank), begin(ranks.rank + 1) - begin(ranks.rank), false};
  }
};

// What becomes of a parameter: its box, or whether its gradient is partial.
struct Fate {
  std::optional<Box> box;
  bool partial = false;
  std::string layer;
};

class Dealing {
 public:
  Dealing(const std::map<LayerId, KnownLayer>& layers, const Ranks& ranks, PlanBuilder& plan)
      : layers_(layers),
        ranks_(ranks),
        plan_(plan),
        infos_(plan.parameters()),
        rules_(plan.placements()),
        fates_(infos_.size(), {{}, ranks.cut_positions, ""}) {}

  std::map<LayerId, Share> run() {
    require_plan();
    for (const auto& [id, known] : layers_) {
      const PlacementRule rule = rule_of(known.layer);
      shares_[id].placement = rule.placement;
      if (is_cut(rule.placement)) cuts_.push_back(cut_of(id, known, rule));
    }
    require_fitting();
    require_marks();
    for (const Cut& cut : cuts_) deal(cut);
    for (const auto& [id, known] : layers_) repeat(id, known.layer);
    carry_out();
    return shares_;
  }

 private:
  std::string ranks_text() const { return "mesh: tp: " + std::to_string(ranks_.size) + " ranks"; }
  [[noreturn]] void refuse(const std::string& text) const { throw ConfigError(text); }

  void require_plan() const {
    if (rules_.empty())
      refuse(ranks_text() +
             ", and the model does not say how its layers are cut (placements): remove mesh.tp, or "
             "take a model that says so, as llama and gpt2 do");
    for (const PlacementRule& rule : rules_)
      if (std::none_of(layers_.begin(), layers_.end(),
                       [&](const auto& l) { return matches(rule.layers, l.second.layer.name); }))
        refuse("placements of the model: no layer matches '" + rule.layers + "'");
  }
  PlacementRule rule_of(const Layer& layer) const {
    for (const PlacementRule& rule : rules_)
      if (matches(rule.layers, layer.name)) return rule;
    return {};
  }

  Cut cut_of(LayerId id, const KnownLayer& known, const PlacementRule& rule) const {
    const Layer& layer = known.layer;
    const bool fits_op =
        layer.op == kLinear || (layer.op == kEmbedding && rule.placement == Placement::vocabulary);
    if (!fits_op || !known.taken)
      refuse("placements of the model: tensor_parallel cannot cut layer " + layer.name + " (" +
             layer.op + "): it cuts plain linear layers, and embeddings by their vocabulary");
    Cut cut{id, &layer,    rule.placement, rule.placement == Placement::rowwise ? 1 : 0,
            0,  rule.parts};
    const ParameterInfo& weight = infos_.at(std::size_t(layer.parameters.at(0)));
    cut.whole = weight.shape.at(std::size_t(cut.dimension));
    if (std::size_t(cut.dimension) < weight.axes.size() &&
        weight.axes[std::size_t(cut.dimension)] == Axis::fused)
      refuse("placements of the model: tensor_parallel cannot cut " + weight.name +
             ", which holds several matrices in one (fused): declare them apart");
    if (cut.parts < 0 || (cut.parts > 0 && cut.whole % cut.parts != 0))
      refuse("placements of the model: " + std::to_string(cut.whole) + " numbers of layer " +
             layer.name + " are not " + std::to_string(cut.parts) + " equal parts");
    return cut;
  }

  void require_fitting() const {
    for (const Cut& cut : cuts_) {
      if (cut.fits(ranks_.size)) continue;
      const std::string what = cut.parts == 0 ? std::to_string(cut.whole) + " rows"
                                              : std::to_string(cut.parts) + " parts (heads)";
      refuse(ranks_text() + " cannot share layer " + cut.layer->name + ", which has " + what +
             ": write tp: " + allowed());
    }
  }
  std::string allowed() const {
    std::vector<std::int64_t> sizes;
    std::int64_t most = 0;
    for (const Cut& cut : cuts_) most = std::max(most, cut.whole);
    for (std::int64_t ranks = 1; ranks <= most && sizes.size() != 9; ++ranks)
      if (std::all_of(cuts_.begin(), cuts_.end(), [&](const Cut& c) { return c.fits(ranks); }))
        sizes.push_back(ranks);
    std::string text;
    for (std::size_t i = 0; i != sizes.size(); ++i)
      text += (i == 0 ? "" : i + 1 == sizes.size() ? " or " : ", ") + std::to_string(sizes[i]);
    return text;
  }

  // Without marks nobody would sum the gradients of what goes into the cut layers.
  void require_marks() const {
    const bool needed = std::any_of(cuts_.begin(), cuts_.end(), [](const Cut& c) {
      return c.layer->op == kLinear && c.placement != Placement::rowwise;
    });
    const bool there = std::any_of(layers_.begin(), layers_.end(),
                                   [](const auto& l) { return l.second.layer.op == kLayout; });
    if (needed && !there)
      refuse(ranks_text() +
             ", and the model marks no tensor that goes into its cut layers: its "
             "author declares layers with Declaration::layout");
  }

  void deal(const Cut& cut) {
    const Share share = shares_[cut.id] = cut.share_of(ranks_);
    const std::vector<ParameterId>& own = cut.layer->parameters;
    for (std::size_t i = 0; i != own.size(); ++i) {
      Fate fate{{}, ranks_.cut_positions, cut.layer->name};
      const bool follows = i == 0 || cut.dimension == 0;  // biases go with the outputs
      if (follows && share.has_all) fate.partial = true;
      if (follows && !share.has_all) {
        const Shape& shape = infos_[std::size_t(own[i])].shape;
        fate.box = Box{Shape(shape.size(), 0), shape};
        fate.box->offset[std::size_t(cut.dimension)] = share.begin;
        fate.box->size[std::size_t(cut.dimension)] = share.size;
      }
      decide(own[i], fate);
    }
  }
  void repeat(LayerId id, const Layer& layer) {
    const Placement placement = shares_.at(id).placement;
    if (is_cut(placement)) return;
    const bool partial = ranks_.cut_positions || placement == Placement::replicate_partial;
    for (const ParameterId p : layer.parameters) decide(p, {{}, partial, layer.name});
  }
  void decide(ParameterId parameter, const Fate& fate) {
    Fate& mine = fates_[std::size_t(parameter)];
    if (!mine.layer.empty() && (mine.box != fate.box || mine.partial != fate.partial))
      refuse("placements of the model: layers " + mine.layer + " and " + fate.layer +
             " share a parameter and are cut in different ways");
    mine = fate;
  }
  void carry_out() const {
    for (std::size_t i = 0; i != fates_.size(); ++i) {
      if (fates_[i].box)
        plan_.cut(ParameterId(i), "tp", *fates_[i].box);
      else if (fates_[i].partial)
        plan_.partial(ParameterId(i), "tp");
    }
  }

  const std::map<LayerId, KnownLayer>& layers_;
  const Ranks& ranks_;
  PlanBuilder& plan_;
  std::vector<ParameterInfo> infos_;
  std::vector<PlacementRule> rules_;
  std::vector<Fate> fates_;  // by parameter
  std::vector<Cut> cuts_;
  std::map<LayerId, Share> shares_;
};

}  // namespace

std::map<LayerId, Share> deal_out(const std::map<LayerId, KnownLayer>& layers, const Ranks& ranks,
                                  PlanBuilder& plan) {
  return Dealing(layers, ranks, plan).run();
}

}  // namespace mortise_tp
