#include "host/validation/checker/checks.hpp"
#include "host/validation/checker/suites.hpp"

namespace mortise::host {
namespace {

const Suites& all_suites() {
  static const Suites all = [] {
    Suites suites = torch_free_suites();
    suites.merge(model_suites());
    suites.merge(training_suites());
    return suites;
  }();
  return all;
}

}  // namespace

void check_contract(Subject& subject, Progress& progress) {
  conformance::Report report;
  std::string without;
  for (const std::string& id : subject.listed().interfaces) {
    const auto suite = all_suites().find(id);
    if (suite == all_suites().end()) {
      without += (without.empty() ? "there is no suite of " : ", ") + id;
      continue;
    }
    progress.at("the suite of " + id);
    suite->second(subject, report);
  }
  for (const std::string& failure : report.failures()) progress.fail(failure);
  if (report.checked() == 0) progress.skip(without.empty() ? "nothing to check" : without);
  progress.count(report.checked());
}

}  // namespace mortise::host
