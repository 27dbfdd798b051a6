#pragma once

// What every Stateful owes its caller: load() undoes whatever happened since state().

#include <functional>
#include <mortise/run/stateful.hpp>
#include <set>

#include "../both_ways.hpp"
#include "../model/sample_parameters.hpp"

namespace mortise::conformance {
namespace stateful {

inline std::vector<State> copy_of(const Stateful& s) {
  std::vector<State> all = s.state();
  for (State& entry : all) entry.value = entry.value.clone();
  return all;
}
inline bool equal(const std::vector<State>& a, const std::vector<State>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; i != a.size() && same; ++i)
    same = a[i].name == b[i].name && a[i].shape == b[i].shape && a[i].box == b[i].box &&
           same_bits(a[i].value, b[i].value);
  return same;
}
inline bool inside(const Box& box, const Shape& shape) {
  if (box.offset.size() != shape.size() || box.size.size() != shape.size()) return false;
  for (std::size_t d = 0; d != shape.size(); ++d)
    if (box.offset[d] < 0 || box.size[d] < 0 || box.offset[d] + box.size[d] > shape[d])
      return false;
  return true;
}

}  // namespace stateful

// `change`: makes the component move on, such as a step that it watches.
inline void check_stateful_contract(Stateful& s, const std::function<void()>& change,
                                    Report& report) {
  report.section("state", [&] {
    std::set<std::string> names;
    for (const State& entry : s.state()) {
      const auto scope = report.inside(entry.name);
      report.expect(!entry.name.empty() && names.insert(entry.name).second,
                    "state: names are unique and not empty");
      report.expect(stateful::inside(entry.box, entry.shape),
                    "state: the box lies inside the shape");
      report.expect(entry.value.defined() && entry.value.numel() == entry.box.count(),
                    "state: a value has the elements of its box");
    }
    report.expect(stateful::equal(stateful::copy_of(s), stateful::copy_of(s)),
                  "state: the same until something changes");
  });
  report.section("load", [&] {
    const std::vector<State> kept = stateful::copy_of(s);
    change();
    const std::vector<State> changed = stateful::copy_of(s);
    s.load(kept);
    report.expect(stateful::equal(stateful::copy_of(s), kept),
                  "load: brings back what state() gave");
    change();
    report.expect(stateful::equal(stateful::copy_of(s), changed),
                  "load: what comes after it goes as it went before");
  });
}

}  // namespace mortise::conformance
