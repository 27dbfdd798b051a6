// Observer: a running average of all parameters, saved with the run.

#include <ATen/TensorOperators.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <mortise/plugin.hpp>
#include <mortise/run/observer.hpp>
#include <mortise/run/stateful.hpp>

namespace {

using namespace mortise;

class Ema final : public Observer, public Stateful {
 public:
  struct Config {
    double decay = 0.999;
    static constexpr auto settings() {
      return fields(field("decay", &Config::decay)
                        .between(0, 1)
                        .doc("what is left of the average after a step"));
    }
  };
  explicit Ema(const Config& config) : decay_(config.decay) {}

  void begin(const std::vector<ParameterInfo>& parameters,
             const std::vector<Piece>& pieces) override {
    for (const Piece& p : pieces) {
      const ParameterInfo& info = parameters[std::size_t(p.parameter)];
      averages_.push_back({info.name, info.shape, p.box, at::zeros({p.box.count()})});
    }
  }

  // The first step copies; a skipped one changes nothing.
  void after_step(const StepInfo& info, const std::vector<Piece>& pieces) override {
    const at::Tensor share = at::where(steps_ == 0, 1.0, 1 - decay_) * (1 - info.skip);
    for (std::size_t i = 0; i != pieces.size(); ++i) {
      at::Tensor& average = averages_[i].value;
      average += (pieces[i].master.narrow(0, 0, average.numel()) - average) * share;
    }
    steps_ += 1 - info.skip;
  }

  std::vector<State> state() const override {
    std::vector<State> all = averages_;
    all.push_back({"steps", {}, {}, steps_});
    return all;
  }
  void load(const std::vector<State>& state) override {
    for (std::size_t i = 0; i != averages_.size(); ++i) averages_[i].value.copy_(state[i].value);
    steps_.copy_(state.back().value);
  }

 private:
  double decay_;
  std::vector<State> averages_;
  at::Tensor steps_ = at::zeros({});
};

}  // namespace

MORTISE_PLUGIN("org.mortise.probe.ema", MORTISE_VERSION,
               component<Ema, Observer, Stateful>("ema", "a running average of the parameters"));
