#pragma once

#include <mortise/c/logger.h>

#include <mortise/kit/structs.hpp>
#include <string_view>

namespace [[gnu::visibility("hidden")]] mortise {

/// Takes numbers that a component wants to see beside the run's own. A service of the host.
///
/// A value stands in the record of the step in which it arrives, under `NAME`; several values of
/// one step and name: the last. Only the first rank's values are reported.
///
/// Threads: any thread.
/// Ranks:   local.
class Metrics : public Interface {
 public:
  virtual void record(std::string_view name, double value) = 0;
};

template <>
class Remote<Metrics> final : public kit::RemoteBase<Metrics, mt_metrics_v1> {
 public:
  static constexpr const char* id = "mortise/metrics/1";
  using Methods = kit::Methods<&Metrics::record>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void record(std::string_view name, double value) override {
    call(&Table::record, &Metrics::record, name, value);
  }
};

}  // namespace mortise
