#pragma once

#include <map>
#include <memory>
#include <mortise/data/dataset.hpp>
#include <mortise/data/sample_order.hpp>
#include <mortise/data/tokenizer.hpp>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <string>
#include <vector>

#include "host/engine/engine.hpp"
#include "host/training/run_settings.hpp"
#include "host/training/stand_ins.hpp"
#include "host/wiring/wiring.hpp"

namespace mortise::host {

// What a program is wired from; lent for its life. `root` gets its open links resolved.
struct ProgramRequest {
  Setting& root;
  const RunSettings& settings;
  const PluginCatalog& catalog;
  Services& services;
  Mesh& mesh;
  StandIns* stand_ins = nullptr;  // for components of the engine, if there are any
  at::Device device = at::kCPU;   // what the model computes on
};

// The components that a model computes with, and its engine: enough for inference.
class ModelProgram {
 public:
  // `trained`: with loss, initializer, optimizers and observers of the file.
  ModelProgram(const ProgramRequest& request, bool trained);

  Engine& engine() { return *engine_; }
  // All ranks of the run.
  Communicator& everyone() { return engine_->layout().everyone(); }
  Tokenizer* tokenizer() { return tokenizer_.get(); }
  Initializer& initializer() { return *initializer_; }
  // Rows of the model's embedding as its settings say; 0: it does not say.
  std::int64_t vocabulary_size() const { return vocabulary_size_; }
  Names units() const { return model_->units(); }
  // Whether Engine::decode remembers: the model has attention layers, and the cache is in front of
  // them.
  bool decodes() const { return decodes_; }
  Wiring& wiring() { return wiring_; }

 private:
  void make_tokenizer(const ProgramRequest& request);
  void make_strategies(const ProgramRequest& request);
  void make_strategy(const std::string& path, const Setting& node);
  std::vector<LayerOpBinding> layer_ops(const Setting& root);
  std::vector<OptimizerBinding> optimizers(const Setting& root);
  void add_cache(std::vector<LayerOpBinding>& ops);
  std::vector<Observer*> observers(const Setting& root);
  void make_engine(const ProgramRequest& request, bool trained);

  WeightGradientQueue weight_gradients_;  // lent to components
  Wiring wiring_;                         // what is made from it goes before it
  std::unique_ptr<Remote<Tokenizer>> tokenizer_;
  std::unique_ptr<Remote<Model>> model_;
  std::unique_ptr<Remote<Selector>> selector_;
  std::vector<std::unique_ptr<Remote<Cutter>>> cutters_;
  std::unique_ptr<Remote<Owner>> owner_;
  std::unique_ptr<Remote<Loss>> loss_;
  std::unique_ptr<Remote<Initializer>> initializer_;
  std::vector<std::unique_ptr<Remote<LayerOp>>> layer_ops_;
  std::vector<LayerOpBinding> strategy_ops_;  // strategies that are layer operations, too
  std::vector<std::unique_ptr<Remote<Optimizer>>> optimizers_;
  std::vector<std::unique_ptr<Remote<Observer>>> observers_;
  std::int64_t vocabulary_size_ = 0;
  bool decodes_ = false;
  std::unique_ptr<Engine> engine_;
};

// The data of a run: training set, its order, and what it is evaluated on.
class DataProgram {
 public:
  // Throws Failure (exit data) when a set does not fit the tokenizer or the vocabulary.
  DataProgram(const ProgramRequest& request, ModelProgram& model);

  Dataset& train() { return *train_; }
  SampleOrder& order() { return *order_; }
  struct EvaluationSet {
    std::string name;
    std::unique_ptr<Remote<Dataset>> data;
  };
  const std::vector<EvaluationSet>& evaluation() const { return evaluation_; }

 private:
  void make_train(const ProgramRequest& request, ModelProgram& model);
  const Setting& node_of(const std::string& set, const ProgramRequest& request) const;
  void check(const Dataset& data, const Setting& node, ModelProgram& model) const;
  void check_length(const ProgramRequest& request) const;

  std::unique_ptr<Remote<Dataset>> train_;
  std::unique_ptr<SampleOrder> order_;
  std::vector<EvaluationSet> evaluation_;
};

// Settings of a component that stand in the host's own keys of its node.
const Setting* host_key(const Setting& node, std::string_view key);

}  // namespace mortise::host
