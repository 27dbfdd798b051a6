// Optimizer: momentum, made orthogonal by five Newton-Schulz steps (Jordan et al. 2024). Needs each
// matrix whole.

#include <ATen/TensorOperators.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>
#include <mortise/optim/optimizer.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;

class Muon final : public Optimizer {
 public:
  struct Config {
    double momentum = 0.95;
    static constexpr auto settings() {
      return fields(
          field("momentum", &Config::momentum).between(0, 1).doc("decay of the running sum"));
    }
  };
  explicit Muon(const Config& config) : momentum_(config.momentum) {}

  std::optional<SlotPlan> slots(ParameterId, const ParameterInfo& parameter) override {
    if (parameter.shape.size() != 2)
      throw ConfigError("muon steps matrices, and " + parameter.name +
                        " is none: name `parameters:` for it, and another optimizer for the rest");
    return SlotPlan{.whole_matrix = true, .slots = {{.name = "momentum"}}};
  }

  void step(const std::vector<Piece>& pieces, const StepInfo& info) override {
    const at::Tensor skip = info.skip > 0;
    for (const Piece& p : pieces) {
      const auto matrix = [&](const at::Tensor& t) {
        return t.narrow(0, 0, p.box.count()).view(p.box.size);
      };
      at::Tensor master = matrix(p.master), momentum = matrix(p.slots[0]);
      const at::Tensor gradient = matrix(p.gradient), sum = momentum * momentum_ + gradient;
      const at::Tensor update = orthogonal(gradient + sum * momentum_);
      const double scale = std::sqrt(std::max(1.0, double(p.box.size[0]) / double(p.box.size[1])));
      momentum.copy_(at::where(skip, momentum, sum));
      master.copy_(
          at::where(skip, master, master - update * (info.learning_rate.to(at::kFloat) * scale)));
    }
  }

 private:
  static at::Tensor orthogonal(const at::Tensor& matrix) {
    const bool tall = matrix.size(0) > matrix.size(1);
    at::Tensor x = (tall ? matrix.t() : matrix) / (matrix.norm() + 1e-7);
    for (int i = 0; i != 5; ++i) {
      const at::Tensor a = x.matmul(x.t());
      x = x * 3.4445 + (a * -4.7750 + a.matmul(a) * 2.0315).matmul(x);
    }
    return tall ? x.t() : x;
  }

  double momentum_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.probe.muon", MORTISE_VERSION,
               component<Muon, Optimizer>("muon", "orthogonal momentum for matrices"));
