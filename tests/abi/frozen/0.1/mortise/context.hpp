#pragma once

#include <mortise/c/plugin.h>

#include <cstdint>
#include <memory>
#include <mortise/run/logger.hpp>
#include <mortise/run/metrics.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// What the host lends one component for its whole life: services and facts of the run.
///
/// A component's constructor takes `(const Config&, Context&)`, `(const Config&)`, `(Context&)` or
/// nothing. What it wants to keep beyond a call comes from here, never from an argument.
///
/// Threads: call `service` and `logger` in the constructor and keep the reference; the reference
///          itself may be used where the service's own contract allows.
class Context {
 public:
  explicit Context(const mt_context_v1& c) : c_(c) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Seed of this component: run.seed, or the more special one of its section.
  std::uint64_t seed() const { return c_.seed; }
  /// Folder of the run, where a component may write; empty where there is none (commands, checks).
  std::string_view run_folder() const { return kit::view(c_.run_folder); }
  Logger& logger() { return service<Logger>(); }
  Metrics& metrics() { return service<Metrics>(); }

  template <class I>
  bool has() const {
    return c_.service(c_.self, Remote<I>::id).table != nullptr;
  }
  /// The host's service of interface I.
  /// Errors: Error(not_supported) naming the interface when this host offers none.
  template <class I>
  I& service() {
    const mt_object object = c_.service(c_.self, Remote<I>::id);
    if (object.table == nullptr)
      throw Error(ErrorCode::not_supported, std::string("the host offers no ") + Remote<I>::id);
    return *lend<I>(object);
  }

  /// For the kit: a proxy that lives as long as this context.
  template <class I>
  I* lend(mt_object object) {
    for (auto& known : lent_)
      if (known->remote()->self == object.self && known->remote()->table == object.table)
        return static_cast<I*>(known.get());
    lent_.push_back(std::make_unique<Remote<I>>(object));
    return static_cast<I*>(lent_.back().get());
  }

 private:
  const mt_context_v1& c_;
  std::vector<std::unique_ptr<Interface>> lent_;
};

}  // namespace mortise
