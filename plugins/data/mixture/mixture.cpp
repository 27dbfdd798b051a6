// Data set of several others: each position of a run takes a sample of one of them, in the
// proportions of their weights, each in an order of its own. See mix_plan.hpp.

#include <algorithm>
#include <cmath>
#include <mortise/plugin.hpp>
#include <mortise/random.hpp>
#include <utility>

#include "mix_plan.hpp"

namespace {

using namespace mortise;
using mixture::MixPlan;
using mixture::Source;
using mixture::Stage;
using Weights = Named<double>;

std::string list_of(const Named<Dataset*>& sources) {
  std::string text;
  for (const auto& s : sources.entries) text += (text.empty() ? "" : ", ") + std::string(s.name);
  return text;
}

class Mixture final : public Dataset {
 public:
  struct StageConfig {
    std::optional<Amount> until;
    Weights weights;

    static constexpr auto settings() {
      return fields(
          field("until", &StageConfig::until)
              .amount()
              .doc("moment of the run at which it ends, such as 85% or 20B tokens; the last "
                   "one's may be left out"),
          field("weights", &StageConfig::weights)
              .required()
              .doc("numbers by source; a source that is not named rests"));
    }
  };
  struct Config {
    Named<Dataset*> sources;
    Weights weights, repeat;
    std::vector<StageConfig> stages;

    static constexpr auto settings() {
      return fields(
          field("sources", &Config::sources).required().doc("data sets by name"),
          field("weights", &Config::weights)
              .doc("numbers by source, in whose proportions samples are drawn; without them and "
                   "stages, the numbers of samples"),
          field("stages", &Config::stages)
              .doc("weights that change during the run, in order; in place of weights"),
          field("repeat", &Config::repeat)
              .doc("passes over a source at most, by source; a run that needs more is refused "
                   "before "
                   "its first step"));
    }
  };

  explicit Mixture(const Config& config) : plan_(sources_of(config), stages_of(config)) {
    for (const auto& source : config.sources.entries) {
      sets_.push_back(source.value);
      ends_.push_back(size() + source.value->size());
      // By name, so that another source in the list changes nothing.
      streams_.push_back(std::int64_t(random::key_of(1, source.name) >> 1) | 1);
    }
    add_facts();
  }

  DatasetInfo info() const override { return info_; }
  std::int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }

  std::vector<Sample> read(std::span<const std::int64_t> indices) const override {
    std::vector<Sample> all;
    all.reserve(indices.size());
    for (std::size_t i = 0; i != indices.size();) {
      const std::size_t source = source_of(indices[i]);
      std::vector<std::int64_t> own;
      for (; i != indices.size() && source_of(indices[i]) == source; ++i)
        own.push_back(indices[i] - first_of(source));
      for (Sample& sample : read_from(source, own)) {
        sample.arrays.push_back(
            array_of("source", DType::int64, std::vector{std::int64_t(source)}));
        all.push_back(std::move(sample));
      }
    }
    return all;
  }

  std::string where(std::int64_t index) const override {
    const std::size_t source = source_of(index);
    return "source " + plan_.sources()[source].name + ": " +
           sets_[source]->where(index - first_of(source));
  }

  std::vector<std::int64_t> draw(SampleOrder& order, const DrawRequest& request) const override {
    std::vector<std::int64_t> all(std::size_t(request.count));
    const std::vector<MixPlan::Draws> draws = plan_.draws(request);
    for (std::size_t s = 0; s != draws.size(); ++s) {
      const MixPlan::Draws& d = draws[s];
      if (d.places.empty()) continue;
      const std::vector<std::int64_t> own =
          order.indices({d.number, std::int64_t(d.places.size()), sets_[s]->size(), streams_[s]});
      for (std::size_t i = 0; i != own.size(); ++i) all[d.places[i]] = first_of(s) + own[i];
    }
    return all;
  }

  std::vector<SourceUse> sources(const DrawRequest& until) const override {
    const std::vector<std::int64_t> drawn = plan_.drawn(until);
    std::vector<SourceUse> uses;
    for (std::size_t s = 0; s != drawn.size(); ++s)
      uses.push_back({plan_.sources()[s].name, drawn[s], sets_[s]->size()});
    return uses;
  }

 private:
  static std::size_t number_of(std::string_view name, const Config& config, const char* setting) {
    const auto& all = config.sources.entries;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == name; });
    if (found != all.end()) return std::size_t(found - all.begin());
    throw ConfigError(std::string(setting) + ": " + std::string(name) +
                      " is no source; the sources are " + list_of(config.sources));
  }

  static std::vector<Source> sources_of(const Config& config) {
    std::vector<Source> sources;
    for (const auto& s : config.sources.entries) {
      if (!s.value->sources({}).empty())
        throw ConfigError("sources: " + std::string(s.name) +
                          " is a mixture: name its sources here instead");
      sources.push_back({std::string(s.name), s.value->size(), {}});
    }
    if (sources.empty()) throw ConfigError("sources: a mixture needs at least one");
    for (const auto& r : config.repeat.entries) {
      if (!(r.value > 0) || !std::isfinite(r.value))
        throw ConfigError("repeat: " + std::string(r.name) + ": expected a number above 0, got " +
                          std::to_string(r.value));
      sources[number_of(r.name, config, "repeat")].repeat = r.value;
    }
    return sources;
  }

  static std::vector<Stage> stages_of(const Config& config) {
    const bool weighted = !config.weights.entries.empty();
    if (weighted && !config.stages.empty())
      throw ConfigError("weights: they stand in the stages, if there are stages");
    std::vector<Stage> stages;
    for (const StageConfig& s : config.stages)
      stages.push_back({s.until, weights_of(s.weights, config, "stages")});
    if (weighted) stages.push_back({{}, weights_of(config.weights, config, "weights")});
    if (stages.empty()) stages.push_back({{}, natural_weights(config)});
    check_stages(stages, config);
    return stages;
  }

  static std::vector<double> natural_weights(const Config& config) {
    std::vector<double> weights;
    for (const auto& s : config.sources.entries) weights.push_back(double(s.value->size()));
    return weights;
  }

  static std::vector<double> weights_of(const Weights& given, const Config& config,
                                        const char* setting) {
    std::vector<double> weights(config.sources.entries.size());
    if (given.entries.empty())
      throw ConfigError(std::string(setting) + ": weights of at least one source are needed");
    for (const auto& w : given.entries) {
      if (!(w.value > 0) || !std::isfinite(w.value))
        throw ConfigError(std::string(setting) + ": " + std::string(w.name) +
                          ": expected a weight above 0, got " + std::to_string(w.value) +
                          ": leave out what is not to be drawn");
      weights[number_of(w.name, config, setting)] = w.value;
    }
    return weights;
  }

  static void check_stages(const std::vector<Stage>& stages, const Config& config) {
    for (std::size_t i = 0; i + 1 < stages.size(); ++i)
      if (!stages[i].until)
        throw ConfigError("stages: number " + std::to_string(i + 1) +
                          " needs an until, since another one follows");
    for (std::size_t s = 0; s != config.sources.entries.size(); ++s)
      if (std::all_of(stages.begin(), stages.end(),
                      [&](const Stage& stage) { return stage.weights[s] == 0; }))
        throw ConfigError("sources: " + std::string(config.sources.entries[s].name) +
                          " has no weight: give it one, or take it out");
  }

  // What is said of all together; -1 where one does not say.
  void add_facts() {
    info_.source = "a mixture of";
    info_.samples = size();
    info_.tokens = info_.documents = 0;
    for (std::size_t s = 0; s != sets_.size(); ++s) {
      const DatasetInfo part = sets_[s]->info();
      const std::string& name = plan_.sources()[s].name;
      info_.source += (s == 0 ? " " : ", ") + name;
      info_.tokens = part.tokens < 0 || info_.tokens < 0 ? -1 : info_.tokens + part.tokens;
      info_.documents =
          part.documents < 0 || info_.documents < 0 ? -1 : info_.documents + part.documents;
      info_.vocabulary_size = std::max(info_.vocabulary_size, part.vocabulary_size);
      info_.largest_token = std::max(info_.largest_token, part.largest_token);
      if (part.tokenizer_fingerprint.empty()) continue;
      if (!info_.tokenizer_fingerprint.empty() &&
          info_.tokenizer_fingerprint != part.tokenizer_fingerprint)
        throw DataError("source " + name + ": " + part.source + " was packed with tokenizer " +
                        part.tokenizer_fingerprint + ", the sources before it with " +
                        info_.tokenizer_fingerprint + ": pack all with one");
      info_.tokenizer_fingerprint = part.tokenizer_fingerprint;
    }
  }

  std::vector<Sample> read_from(std::size_t source, const std::vector<std::int64_t>& own) const {
    try {
      return sets_[source]->read(own);
    } catch (const Error& e) {
      throw Error(e.code(), "source " + plan_.sources()[source].name + ": " + e.what());
    }
  }

  std::size_t source_of(std::int64_t index) const {
    if (index < 0 || index >= size())
      throw Error(ErrorCode::bad_argument, "sample " + std::to_string(index) +
                                               " is out of range: there are " +
                                               std::to_string(size()));
    return std::size_t(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
  }
  std::int64_t first_of(std::size_t source) const { return source == 0 ? 0 : ends_[source - 1]; }

  MixPlan plan_;
  std::vector<Dataset*> sets_;
  std::vector<std::int64_t> ends_, streams_;
  DatasetInfo info_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.mixture", MORTISE_VERSION,
               component<Mixture, Dataset>(
                   "mixture", "several data sets in given proportions, which may change"));
