#pragma once

#include <map>
#include <string>

#include "host/validation/checker/subject.hpp"
#include "sdk/conformance/report.hpp"

namespace mortise::host {

// Runs the conformance suite of one interface on a component, through its table alone: the classes
// behind it may come from another compiler.
using Suite = void (*)(Subject&, conformance::Report&);
using Suites = std::map<std::string, Suite>;  // by interface id

Suites torch_free_suites();
Suites model_suites();
Suites training_suites();

// For tables of suites: the entry of interface I, whose suite takes a proxy.
template <class I, void (*check)(I&, Subject&, conformance::Report&)>
Suites::value_type suite_of() {
  return {Remote<I>::id, [](Subject& subject, conformance::Report& report) {
            const std::unique_ptr<Instance> instance = subject.make();
            Remote<I> crossed = instance->as<I>();
            check(crossed, subject, report);
          }};
}

}  // namespace mortise::host
