#pragma once

// Every suite runs an implementation in place, through its virtual functions, and crossed, through
// its C table.

#include <mortise/kit/call.hpp>

#include "report.hpp"

namespace mortise::conformance {

// For a component of another file: `crossed` is the proxy of the table that the file gave.
template <class I, class Check>
void both_ways(I& in_place, I& crossed, Report& report, Check check) {
  {
    const auto scope = report.inside("in place");
    check(in_place);
  }
  const auto scope = report.inside("crossed");
  check(crossed);
}

template <class I, class Check>
void both_ways(I& object, Report& report, Check check) {
  Remote<I> crossed(kit::object_of(object));
  both_ways<I>(object, crossed, report, check);
}

}  // namespace mortise::conformance
