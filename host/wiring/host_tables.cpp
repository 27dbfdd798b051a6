#include "host/wiring/host_tables.hpp"

#include <mortise/data/dataset.hpp>
#include <mortise/data/sample_order.hpp>
#include <mortise/data/tokenizer.hpp>
#include <mortise/model/initializer.hpp>
#include <mortise/model/layer_op.hpp>
#include <mortise/model/loss.hpp>
#include <mortise/model/model.hpp>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <mortise/optim/optimizer.hpp>
#include <mortise/parallel/connector.hpp>
#include <mortise/parallel/cutter.hpp>
#include <mortise/parallel/owner.hpp>
#include <mortise/parallel/selector.hpp>
#include <mortise/parallel/weight_gradients.hpp>
#include <mortise/run/command.hpp>
#include <mortise/run/inference.hpp>
#include <mortise/run/metric_sink.hpp>
#include <mortise/run/observer.hpp>
#include <mortise/run/stateful.hpp>

namespace mortise::host {
namespace {

template <class I>
std::pair<std::string, std::string> fingerprint() {
  std::string hex;
  for (const std::uint32_t code : Remote<I>::Methods::fingerprint())
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(code >> shift) & 15];
  return {Remote<I>::id, hex};
}
template <class... I>
std::map<std::string, std::string> fingerprints() {
  return {fingerprint<I>()...};
}

}  // namespace

const char* libtorch_version() { return TORCH_VERSION; }

HostIdentity host_identity() {
  HostIdentity identity = identity_of_this_process();
  identity.torch = libtorch_version();
  identity.tables =
      fingerprints<Tokenizer, Dataset, SampleOrder, LearningRateSchedule, MetricSink, Command,
                   Logger, Metrics, Model, UnitContext, LayerOp, OpCall, Loss, Initializer,
                   Optimizer, Observer, Stateful, Owner, PlanBuilder, Selector, Cutter,
                   WeightGradients, WeightTask, Mesh, Communicator, Work, Connector, GroupStore,
                   Inference, TrainedModel>();
  return identity;
}

}  // namespace mortise::host
