#pragma once

#include <mortise/model/parameter.hpp>
#include <string_view>

namespace [[gnu::visibility("hidden")]] mortise {

/// What a term of the loss is divided by: a count over the whole step, all micro-batches and ranks.
enum class Denominator : std::int32_t { tokens, samples, micro_batches };
constexpr Denominator last_enumerator(Denominator) { return Denominator::micro_batches; }

/// What a model reaches while one unit is visited. Lent by the engine for that call.
///
/// Errors:  Error(bad_argument) for a layer or parameter of another unit, and for any use after
///          the call. A failing operation throws what it threw.
/// Threads: step thread.
/// Ranks:   layer operations may be collective, so every rank makes the same calls in the same
///          order. `unit(a, x) + unit(b, x)` has no order in C++: write one call for each
///          statement, or several inputs in braces, which are evaluated from left to right.
/// Grad:    flows through apply and end.
class UnitContext : public Interface {
 public:
  /// Applies the operation of `layer` and the links that plug into it. A head that is given the
  /// targets behind its input, {hidden [B, T, C], targets [B, T]}, gives logits [B, T, V]; or,
  /// where this rank computes a part of the vocabulary, the cross-entropy of each target instead:
  /// [B, T] float64, 0 where nothing is counted. Without targets it always gives all logits.
  virtual TensorList apply(LayerId layer, Tensors inputs) = 0;
  /// Ends a model. In training and evaluation: gives `layer`, hidden and batch to the loss, which
  /// adds its terms; the result is undefined. In inference: applies the layer, gives its logits.
  /// Shapes: hidden [B, T, C] -> logits [B, T, V].
  virtual at::Tensor end(LayerId layer, const at::Tensor& hidden) = 0;
  /// The parameter itself, for models that compute with it directly.
  virtual at::Tensor parameter(ParameterId parameter) = 0;
  /// The value of a buffer of this unit at the beginning of the step, not to be written to.
  virtual at::Tensor buffer(std::string_view name) = 0;
  /// One more summand of the loss: weight * sum / (count of `per` over the step).
  /// Shapes: sum is 0-d, on the model's device. A recomputed visit replaces its earlier terms.
  virtual void term(std::string_view name, const at::Tensor& sum, Denominator per,
                    double weight) = 0;
  /// A new value of a buffer, combined and applied once, after the step (see BufferInfo). A
  /// recomputed visit replaces its earlier updates.
  virtual void update(std::string_view buffer, const at::Tensor& value) = 0;
  /// A number to see in the metrics; 0-d, summed over the step's micro-batches.
  virtual void record(std::string_view name, const at::Tensor& value) = 0;

  /// The usual case: one tensor out.
  at::Tensor operator()(LayerId layer, Tensors inputs) {
    TensorList outputs = apply(layer, inputs);
    if (outputs.empty())
      throw Error(ErrorCode::failed,
                  "layer " + std::to_string(std::int64_t(layer)) + " has given no output");
    return std::move(outputs.front());
  }
};

template <>
class Remote<UnitContext> final : public kit::RemoteBase<UnitContext, mt_unit_context_v1> {
 public:
  static constexpr const char* id = "mortise/unit_context/1";
  using Methods = kit::Methods<&UnitContext::apply, &UnitContext::end, &UnitContext::parameter,
                               &UnitContext::buffer, &UnitContext::term, &UnitContext::update,
                               &UnitContext::record>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  TensorList apply(LayerId layer, Tensors inputs) override {
    return call(&Table::apply, &UnitContext::apply, layer, inputs);
  }
  at::Tensor end(LayerId layer, const at::Tensor& hidden) override {
    return call(&Table::end, &UnitContext::end, layer, hidden);
  }
  at::Tensor parameter(ParameterId parameter) override {
    return call(&Table::parameter, &UnitContext::parameter, parameter);
  }
  at::Tensor buffer(std::string_view name) override {
    return call(&Table::buffer, &UnitContext::buffer, name);
  }
  void term(std::string_view name, const at::Tensor& sum, Denominator per, double weight) override {
    call(&Table::term, &UnitContext::term, name, sum, per, weight);
  }
  void update(std::string_view buffer, const at::Tensor& value) override {
    call(&Table::update, &UnitContext::update, buffer, value);
  }
  void record(std::string_view name, const at::Tensor& value) override {
    call(&Table::record, &UnitContext::record, name, value);
  }
};

}  // namespace mortise
