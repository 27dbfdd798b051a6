#pragma once

#include <mortise/model/unit_context.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// What training minimises.
///
/// The engine divides every term by a count over the whole step, so that the result does not
/// depend on micro-batches or ranks; a loss never divides by a count itself.
///
/// Threads: step thread.
/// Ranks:   local, unless it says that it is collective.
/// Grad:    flows from the terms to `hidden` and to the head's parameters.
class Loss : public Interface {
 public:
  /// How many targets of `batch` count: 0-d int64, on the batch's device.
  virtual at::Tensor counts(const Batch& batch) const = 0;
  /// Applies the head layer through `unit` and adds its terms with UnitContext::term.
  /// Where the batch has `sources` [B], it may record for each source N what its sequences have
  /// added
  /// (`loss_of_source/N`) and how many of their targets count (`tokens_of_source/N`): the metrics
  /// then show the loss of each source. Shapes: hidden [B, T, C].
  virtual void add_terms(UnitContext& unit, LayerId head, const at::Tensor& hidden,
                         const Batch& batch) = 0;
  /// Whether add_terms and its gradient communicate over the axis `dp`. The engine then refuses a
  /// step in which some rank has no micro-batch or micro-batches differ in size: the others would
  /// wait for it.
  virtual bool collective() const { return false; }
};

template <>
class Remote<Loss> final : public kit::RemoteBase<Loss, mt_loss_v1> {
 public:
  static constexpr const char* id = "mortise/loss/1";
  using Methods = kit::Methods<&Loss::counts, &Loss::add_terms, &Loss::collective>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  at::Tensor counts(const Batch& batch) const override {
    return call(&Table::counts, &Loss::counts, batch);
  }
  void add_terms(UnitContext& unit, LayerId head, const at::Tensor& hidden,
                 const Batch& batch) override {
    call(&Table::add_terms, &Loss::add_terms, unit, head, hidden, batch);
  }
  bool collective() const override {
    return has(&Table::collective) && call(&Table::collective, &Loss::collective);
  }
};

}  // namespace mortise
