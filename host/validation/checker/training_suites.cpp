#include "host/validation/checker/suites.hpp"
#include "sdk/conformance/optim/optimizer_contract.hpp"
#include "sdk/conformance/parallel/connector_contract.hpp"
#include "sdk/conformance/parallel/cutter_contract.hpp"
#include "sdk/conformance/parallel/owner_contract.hpp"
#include "sdk/conformance/run/observer_contract.hpp"
#include "sdk/conformance/run/stateful_contract.hpp"

namespace mortise::host {
namespace {

using conformance::Report;

void optimizer(Optimizer& o, Subject&, Report& report) {
  conformance::check_optimizer_contract(o, report);
}
void owner(Owner& o, Subject&, Report& report) { conformance::check_owner_contract(o, report); }
void cutter(Cutter& c, Subject&, Report& report) { conformance::check_cutter_contract(c, report); }
void observer(Observer& o, Subject&, Report& report) {
  conformance::check_observer_contract(o, report);
}

// Its ranks are threads, each with a component of its own.
void connector(Subject& subject, Report& report) {
  const std::unique_ptr<Instance> instances[] = {subject.make(), subject.make(), subject.make()};
  std::vector<Remote<Connector>> proxies;
  for (const auto& instance : instances) proxies.push_back(instance->as<Connector>());
  Connector* const members[] = {&proxies[0], &proxies[1], &proxies[2]};
  conformance::check_connector_contract(members, report);
}

// An observer moves on with a step; nothing else that keeps state is known here.
void stateful(Subject& subject, Report& report) {
  const std::unique_ptr<Instance> instance = subject.make();
  Remote<Stateful> state = instance->as<Stateful>();
  const bool watches = instance->view(Remote<Observer>::id).table != nullptr;
  Piece piece = conformance::empty_piece(ParameterId(3), conformance::whole_box({5, 4}));
  piece.master.fill_(1);
  if (watches)
    instance->as<Observer>().begin(
        std::vector(4, conformance::sample_parameter("weight", {5, 4}, Role::matrix, {0})),
        {piece});
  const auto change = [&] {
    if (watches)
      instance->as<Observer>().after_step(
          {0, at::zeros({}, at::kDouble), at::zeros({}, at::kFloat)}, {piece});
  };
  change();
  conformance::check_stateful_contract(state, change, report);
}

}  // namespace

Suites training_suites() {
  return {suite_of<Optimizer, optimizer>(),   suite_of<Owner, owner>(),
          suite_of<Cutter, cutter>(),         suite_of<Observer, observer>(),
          {Remote<Connector>::id, connector}, {Remote<Stateful>::id, stateful}};
}

}  // namespace mortise::host
