#pragma once

#include <mortise/c/inference.h>

#include <memory>
#include <mortise/data/tokenizer.hpp>
#include <mortise/kit/torch.hpp>
#include <string_view>

namespace [[gnu::visibility("hidden")]] mortise {

/// A model with the weights of a checkpoint.
///
/// Threads: one caller at a time.
/// Ranks:   local: the whole model in one process.
class TrainedModel : public Interface {
 public:
  /// Shapes: tokens [B, T] int64 -> logits [B, T, V] float32, T <= context_length().
  /// Errors: Error(bad_argument) for an id or length out of range.
  virtual at::Tensor logits(const at::Tensor& tokens) = 0;
  virtual std::unique_ptr<Tokenizer> tokenizer() = 0;
  virtual std::int64_t context_length() const = 0;
  /// Optimizer steps behind these weights.
  virtual std::int64_t step() const = 0;
  /// The same logits with a cache: `tokens` go on where the last call ended, the first call begins.
  /// Shapes: tokens [B, T] int64 -> logits [B, T, V] float32 of the new positions; B as before, all
  ///         calls together at most context_length() positions.
  /// Errors: Error(not_supported) when the model cannot: use logits.
  virtual at::Tensor decode(const at::Tensor&) {
    throw Error(ErrorCode::not_supported, "this model cannot decode with a cache");
  }
  /// The next decode begins anew.
  virtual void restart() {}
};

/// Opens what runs have saved. A service of the host, for commands.
class Inference : public Interface {
 public:
  /// `path`: a run folder (its newest complete checkpoint) or one checkpoint folder.
  /// Errors: Error(storage) naming what is missing or does not match.
  virtual std::unique_ptr<TrainedModel> open(std::string_view path) = 0;
};

template <>
class Remote<TrainedModel> : public kit::RemoteBase<TrainedModel, mt_trained_model_v1> {
 public:
  static constexpr const char* id = "mortise/trained_model/1";
  using Methods =
      kit::Methods<&TrainedModel::logits, &TrainedModel::tokenizer, &TrainedModel::context_length,
                   &TrainedModel::step, &TrainedModel::decode, &TrainedModel::restart>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  at::Tensor logits(const at::Tensor& tokens) override {
    return call(&Table::logits, &TrainedModel::logits, tokens);
  }
  std::unique_ptr<Tokenizer> tokenizer() override {
    return call(&Table::tokenizer, &TrainedModel::tokenizer);
  }
  std::int64_t context_length() const override {
    return call(&Table::context_length, &TrainedModel::context_length);
  }
  std::int64_t step() const override { return call(&Table::step, &TrainedModel::step); }
  at::Tensor decode(const at::Tensor& tokens) override {
    if (!has(&Table::decode)) return TrainedModel::decode(tokens);
    return call(&Table::decode, &TrainedModel::decode, tokens);
  }
  void restart() override {
    if (has(&Table::restart)) call(&Table::restart, &TrainedModel::restart);
  }
};

template <>
class Remote<Inference> final : public kit::RemoteBase<Inference, mt_inference_v1> {
 public:
  static constexpr const char* id = "mortise/inference/1";
  using Methods = kit::Methods<&Inference::open>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::unique_ptr<TrainedModel> open(std::string_view path) override {
    return call(&Table::open, &Inference::open, path);
  }
};

}  // namespace mortise
