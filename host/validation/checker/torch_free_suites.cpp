#include <unistd.h>

#include "host/validation/checker/suites.hpp"
#include "sdk/conformance/data/dataset_contract.hpp"
#include "sdk/conformance/data/sample_order_contract.hpp"
#include "sdk/conformance/data/tokenizer_contract.hpp"
#include "sdk/conformance/optim/learning_rate_schedule_contract.hpp"
#include "sdk/conformance/parallel/selector_contract.hpp"
#include "sdk/conformance/run/command_contract.hpp"
#include "sdk/conformance/run/metric_sink_contract.hpp"

namespace mortise::host {
namespace {

using conformance::Report;

constexpr std::int64_t kSteps = 110;

void tokenizer(Tokenizer& t, Subject&, Report& report) {
  conformance::check_tokenizer_contract(t, report);
}
void dataset(Dataset& data, Subject& subject, Report& report) {
  conformance::check_dataset_contract(data, report, {subject.number("sequence_length", 0)});
}
void sample_order(SampleOrder& order, Subject&, Report& report) {
  conformance::check_sample_order_contract(order, report);
}
void schedule(LearningRateSchedule& s, Subject&, Report& report) {
  for (const std::int64_t steps : {std::int64_t(1), kSteps})
    conformance::check_learning_rate_schedule_contract(s, steps, report);
}
void selector(Selector& s, Subject&, Report& report) {
  conformance::check_selector_contract(s, report);
}
// What it writes without a folder goes where it does no harm.
void command(Command& c, Subject& subject, Report& report) {
  if (::chdir(subject.services().run_folder().c_str()) != 0)
    throw Error(ErrorCode::storage, subject.services().run_folder() + " cannot be entered");
  conformance::check_command_contract(c, report);
}
void metric_sink(MetricSink& sink, Subject& subject, Report& report) {
  RunInfo run;
  run.name = "validate";
  run.folder = subject.services().run_folder();
  run.total_steps = 15;
  run.tokens_per_step = 1000;
  run.report = {"a line", ""};
  conformance::check_metric_sink_contract(sink, run, report);
}

}  // namespace

Suites torch_free_suites() {
  return {suite_of<Tokenizer, tokenizer>(),      suite_of<Dataset, dataset>(),
          suite_of<SampleOrder, sample_order>(), suite_of<LearningRateSchedule, schedule>(),
          suite_of<Selector, selector>(),        suite_of<Command, command>(),
          suite_of<MetricSink, metric_sink>()};
}

}  // namespace mortise::host
