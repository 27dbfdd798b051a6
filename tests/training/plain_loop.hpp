#pragma once

#include <functional>
#include <mortise/model/layer_op.hpp>

#include "tests/training/small_model.hpp"
#include "tests/unit/loaded_component.hpp"

namespace mortise::tests {

// What a rank was seen to do.
struct Seen {
  struct Collective {
    std::string axes, operation;
    std::int64_t bytes = 0;  // of the input
  };
  std::vector<Collective> collectives;  // of owner and engine
  std::string capability;               // that communicators say they have, besides their own
  std::vector<Visit> visits;
  std::function<void(const Visit&)> look;  // before each visit
};

struct TrainingCase {
  std::string name;
  SmallShape shape;
  std::int64_t sequences = 3, length = 16;
  std::int64_t micro_batches = 4;  // of a step, over all ranks
  int steps = 20;
  double learning_rate = 1e-2;
  double clip_norm = 0;  // 0: none
  double norm = 2;
  bool bfloat16 = false;  // computes so, over masters in float32
  std::int64_t units_per_group = 1;
  bool recompute = false, reshard = true, prefetch = true, by_micro_batch = true, delays = false;
  std::string owner = "fsdp";
  std::int64_t ranks_of_reference = 1;  // reduction: step sums the micro-batches of each rank first
  // Through the engine only. What carries collectives: a plugin, or gloo.
  std::string communicator = "shared_memory";
  // No axes: all ranks on dp.
  std::vector<std::pair<std::string, std::int64_t>> mesh{};
  struct Strategy {
    std::string plugin, key, schedule;  // "": no such setting
    std::vector<std::string> split{};   // empty: no such setting
    SettingList settings{};
  };
  std::vector<Strategy> strategies{};
  LayerOp* link = nullptr;     // of the test, in every layer that it binds
  std::string model{};         // of a plugin with this key, in place of the small one
  std::string model_plugin{};  // "": probe_ and the key
  SettingList model_settings{};
  // Through the engine only: the loss takes the losses of targets, where the vocabulary is cut.
  bool takes_losses = false;
  bool evaluates = true;
  Seen* seen = nullptr;  // filled through the engine
  bool ordered = false;  // of fsdp
  // In the reference: LibTorch's own kernel takes exponentials with 2^-20.
  bool exact_attention = false;
};

std::unique_ptr<LoadedComponent> load_model(const TrainingCase& c);  // null: the small one

struct TrainingResult {
  TensorList parameters;  // whole, in id order
  TensorList gradients;   // of the last step, whole; clipped through the engine only
  std::vector<double> losses, norms;
  double evaluation = 0;  // loss per token of other micro-batches, through the engine only
};

// The reference: one process, one autograd graph from tokens to loss for each micro-batch, no
// engine, no owner, no boundary. Gradients of micro-batches are added in order; a tied weight has a
// leaf for each use, joined at the end.
TrainingResult train_plainly(const TrainingCase& c);

// Loss and gradients of one micro-batch through one graph, with tied weights as one leaf.
std::pair<double, TensorList> whole_graph_gradients(const SmallShape& shape, const Batch& batch,
                                                    double inverse);

}  // namespace mortise::tests
