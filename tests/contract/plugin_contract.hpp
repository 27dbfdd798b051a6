#pragma once

// Runs the conformance suite of a kind against a component of a built plugin.

#include "sdk/conformance/both_ways.hpp"
#include "tests/unit/loaded_component.hpp"

namespace mortise::tests {

// The object itself: one compiler has built both sides.
template <class I>
I& in_place(const LoadedComponent& component) {
  return *static_cast<I*>(component.object<I>().self);
}

template <class I, class Check>
void check_both_ways(const LoadedComponent& component, conformance::Report& report, Check check) {
  Remote<I> crossed = component.as<I>();
  conformance::both_ways<I>(in_place<I>(component), crossed, report, check);
}

// For kinds that are used up by a check: `make` gives a fresh component for each way.
template <class I, class Make, class Check>
void check_fresh_both_ways(conformance::Report& report, Make make, Check check) {
  const std::unique_ptr<LoadedComponent> first = make(), second = make();
  Remote<I> crossed = second->template as<I>();
  conformance::both_ways<I>(in_place<I>(*first), crossed, report, check);
}

}  // namespace mortise::tests
