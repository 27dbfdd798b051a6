// An observer that makes calls of its own in the group of all data-parallel ranks, and on one rank
// others than its peers.

#include <ATen/ops/zeros.h>

#include <mortise/parallel/mesh.hpp>
#include <mortise/plugin.hpp>
#include <mortise/run/observer.hpp>

namespace {

using namespace mortise;

class Disorderly final : public Observer {
 public:
  struct Config {
    std::string_view how = "nothing";
    std::int64_t at = 0;

    static constexpr auto settings() {
      return fields(field("how", &Config::how).doc("nothing, operation, size, left_out, message"),
                    field("at", &Config::at).doc("after so many steps"));
    }
  };

  Disorderly(const Config& config, Context& context)
      : how_(config.how), at_(config.at), group_(context.service<Mesh>().communicator("dp")) {}

  void before_step(const StepInfo& info) override {
    const bool differs = info.step >= at_ && group_->rank() == 1;
    const at::Tensor small = at::zeros({2}, at::kLong),
                     big = at::zeros({2 * group_->size()}, at::kLong);
    if (differs && how_ == "left_out") return;
    if (differs && how_ == "operation")
      group_->broadcast(small, 0)->wait();
    else if (differs && how_ == "size")
      group_->all_gather(big.narrow(0, 0, group_->size()), small.narrow(0, 0, 1))->wait();
    else
      group_->all_gather(big, small)->wait();
    if (how_ == "message") pass_on(differs);
  }

 private:
  // From the first rank to the second.
  void pass_on(bool differs) {
    const at::Tensor message = at::zeros({differs ? 3 : 4}, at::kLong);
    if (group_->rank() == 0) group_->send(message, 1)->wait();
    if (group_->rank() == 1) group_->receive(message, 0)->wait();
  }

  std::string how_;
  std::int64_t at_;
  std::unique_ptr<Communicator> group_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.test.disorderly", MORTISE_VERSION,
               component<Disorderly, Observer>("disorderly", "makes calls out of order"));
