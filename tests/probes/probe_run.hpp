#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mortise/run/stateful.hpp>

#include "host/engine/engine.hpp"
#include "tests/training/small_model.hpp"
#include "tests/unit/loaded_component.hpp"

namespace mortise::tests {

// A model whose reference is a few lines (tiny_logits): embedding, a branch of two linear layers
// beside the residual, a head.
class TinyModel final : public Model {
 public:
  TinyModel();
  std::vector<ParameterInfo> parameters() const override { return d_.parameters; }
  std::vector<Layer> layers() const override { return d_.layers; }
  Names units() const override { return d_.units; }
  TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                          const Batch& batch) override;

 private:
  Declaration d_;
  LayerId embedding_{}, up_{}, activation_{}, down_{}, head_{};
};

using Weights = std::map<std::string, at::Tensor>;  // by name, whole

// The linear layer `name` of these weights, the plain way.
at::Tensor plain_linear(const Weights& w, const std::string& name, const at::Tensor& x);
using Linear = std::function<at::Tensor(const std::string& name, const at::Tensor& x)>;
at::Tensor tiny_logits(const Weights& w, const Batch& batch, const Linear& linear);

struct ProbeCase {
  std::string owner = "fsdp";
  int steps = 3;
  std::int64_t micro_batches = 4;  // of a step, over all ranks
  bool recompute = false;
};
constexpr double kRate = 0.1;  // of the plain descent that steps what no other optimizer takes
Batch probe_batch(std::int64_t step, std::int64_t micro_batch);
double tokens_of(const ProbeCase& c, std::int64_t step);
// Sum over the targets that count.
at::Tensor cross_entropy_sum(const at::Tensor& logits, const Batch& batch);

// What a run is made of besides an owner and plain descent; keeps what it has loaded.
struct ProbeParts {
  Model* model = nullptr;
  Loss* loss = nullptr;
  std::vector<host::LayerOpBinding> layer_ops;
  std::vector<host::OptimizerBinding> optimizers;
  std::vector<Observer*> observers;
  Stateful* stateful = nullptr;  // whose state stands in the result
  Surroundings surroundings;
  std::vector<std::shared_ptr<void>> kept;

  std::shared_ptr<LoadedComponent> load(const std::string& plugin, const std::string& key,
                                        const SettingList& settings) {
    kept.push_back(std::make_shared<LoadedComponent>(plugin, key, settings, surroundings));
    return std::static_pointer_cast<LoadedComponent>(kept.back());
  }
  template <class I>
  I& view(const LoadedComponent& component) {
    kept.push_back(std::make_shared<Remote<I>>(component.as<I>()));
    return *static_cast<Remote<I>*>(kept.back().get());
  }
};
using AddParts = std::function<void(ProbeParts& parts)>;

struct ProbeResult {
  Weights weights, buffers, states;
};

// Trains as rank `rank` of `size`, then evaluates once. Everything is reached through its table.
// Collective; every rank gets the result.
ProbeResult train_probe(const ProbeCase& c, int rank, int size, const std::filesystem::path& store,
                        const AddParts& add);

// The reference: one process, one graph for each step, weights as train_probe starts with.
// `loss`: of a whole step, divided. `update`: of one weight; without it plain descent.
using StepLoss = std::function<at::Tensor(const Weights& w, std::int64_t step)>;
using Update =
    std::function<void(const std::string& name, at::Tensor& weight, const at::Tensor& gradient)>;
void descend(const std::string& name, at::Tensor& weight, const at::Tensor& gradient);
Weights first_weights(const std::vector<ParameterInfo>& infos);
Weights train_reference(const ProbeCase& c, Weights weights, const StepLoss& loss,
                        const Update& update = descend,
                        const std::function<void(const Weights&)>& after_step = {});

// Throws std::runtime_error when the names differ, or a tensor by more than `tolerance` of its
// norm.
void require_close(const Weights& expected, const Weights& got, double tolerance);

// Runs `body(rank, store)` on `size` ranks of their own; true when all went well.
bool on_ranks(int size, const std::function<void(int rank, const std::filesystem::path&)>& body);

}  // namespace mortise::tests
