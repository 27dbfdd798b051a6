// Pipeline parallelism: consecutive units of the model on each rank of the mesh axis `pp`; GPipe
// (Huang et al. 2019) and 1F1B (Narayanan et al. 2019). A stage has one run of units: there is no
// interleaved 1F1B.

#include <map>
#include <mortise/parallel/selector.hpp>
#include <mortise/plugin.hpp>
#include <string>

#include "cost_split.hpp"
#include "stage_schedule.hpp"

namespace {

using mortise::ConfigError;
using mortise::field;
using mortise::UnitCost;
using mortise_pipeline::Order;
using Numbers = std::vector<std::int64_t>;

class Pipeline final : public mortise::Selector {
 public:
  struct Config {
    Order schedule = Order::one_f_one_b;
    std::vector<std::string_view> split{};

    static constexpr auto settings() {
      return mortise::fields(
          field("schedule", &Config::schedule)
              .choice("1f1b", Order::one_f_one_b)
              .choice("gpipe", Order::gpipe)
              .doc("1f1b: one forward and one backward pass in turn, a stage keeps at most as many "
                   "micro-batches as there are stages. gpipe: all forward passes first, a stage "
                   "keeps all micro-batches of the step"),
          field("split", &Config::split)
              .known_as("split_points", "module_names_per_model_part")
              .doc("names of the units with which the second and every further stage begins; "
                   "without it units are put where the dearest stage has the least to compute"));
    }
  };

  explicit Pipeline(const Config& config)
      : order_(config.schedule), split_(config.split.begin(), config.split.end()) {}

  void weigh(const std::vector<UnitCost>& units) override {
    costs_ = units;
    firsts_.clear();
  }
  Numbers units(std::int64_t stage, std::int64_t stages, std::int64_t units) const override {
    const Numbers& firsts = first_units(stages, units);
    const bool last = stage + 1 == stages;
    Numbers mine;
    for (auto u = firsts[std::size_t(stage)]; u != (last ? units : firsts[std::size_t(stage) + 1]);
         ++u)
      mine.push_back(u);
    return mine;
  }
  std::vector<mortise::Action> schedule(std::int64_t stage, std::int64_t stages, std::int64_t units,
                                        std::int64_t micro_batches) const override {
    return mortise_pipeline::schedule_of({stage, stages, this->units(stage, stages, units)}, order_,
                                         micro_batches);
  }

 private:
  const Numbers& first_units(std::int64_t stages, std::int64_t units) const {
    Numbers& known = firsts_[{stages, units}];
    if (known.empty())
      known = split_.empty() || stages == 1
                  ? mortise_pipeline::split_by_cost(weights(units), stages)
                  : listed(stages);
    return known;
  }
  // Equal ones where nobody has said what these units cost, or they cost nothing.
  std::vector<double> weights(std::int64_t units) const {
    std::vector<double> flops;
    double sum = 0;
    for (const UnitCost& c : costs_) flops.push_back(c.flops), sum += c.flops;
    if (std::int64_t(flops.size()) != units || sum == 0) flops.assign(std::size_t(units), 1);
    return flops;
  }
  Numbers listed(std::int64_t stages) const {
    if (std::int64_t(split_.size()) + 1 != stages)
      throw ConfigError("split: it lists " + std::to_string(split_.size()) +
                        (split_.size() == 1 ? " unit for " : " units for ") +
                        std::to_string(stages) + " stages (mesh.pp): expected " +
                        std::to_string(stages - 1) + ", one for each stage but the first");
    Numbers firsts{0};
    for (const std::string& name : split_) {
      const std::int64_t unit = number_of(name);
      if (unit <= firsts.back())
        throw ConfigError("split: '" + name + "' does not stand after '" +
                          costs_[std::size_t(firsts.back())].name +
                          "', with which the stage before begins: list units in the order of the "
                          "model");
      firsts.push_back(unit);
    }
    return firsts;
  }
  std::int64_t number_of(const std::string& name) const {
    for (std::size_t u = 0; u != costs_.size(); ++u)
      if (costs_[u].name == name) return std::int64_t(u);
    std::string names;
    for (const UnitCost& c : costs_) names += (names.empty() ? "" : ", ") + c.name;
    throw ConfigError("split: '" + name + "' is no unit of the model; its units are " + names);
  }

  Order order_;
  std::vector<std::string> split_;
  std::vector<UnitCost> costs_;
  mutable std::map<std::pair<std::int64_t, std::int64_t>, Numbers> firsts_;  // by stages and units
};

}  // namespace

MORTISE_PLUGIN("org.mortise.pipeline", MORTISE_VERSION,
               mortise::component<Pipeline, mortise::Selector>(
                   "pipeline", "stages of consecutive units over the mesh axis pp"));
