#pragma once

#include <mortise/model/loss.hpp>
#include <mortise/model/model.hpp>

#include "host/engine/layer_chains.hpp"

namespace mortise::host {

// One summand of the loss that a visit has added.
struct Term {
  std::string name;
  at::Tensor sum;
  Denominator per = Denominator::tokens;
  double weight = 1;
};

// What one visit has left behind besides its outputs.
struct VisitResult {
  TensorList outputs;
  std::vector<Term> terms;
  std::vector<std::pair<std::string, at::Tensor>> records;
  std::vector<BufferUpdate> updates;
};

// Runs one unit of a model for one visit. `loss` null: inference, the head gives logits.
struct VisitRequest {
  Model& model;
  const LayerChains& chains;
  const TensorList& leaves;
  const Buffers& buffers;
  KeptStates* kept = nullptr;
  Loss* loss = nullptr;
  const Batch& batch;
};
VisitResult run_unit(const VisitRequest& request, const Visit& visit, Tensors hidden);

}  // namespace mortise::host
