#include "host/distributed/carriage.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "host/distributed/by_device.hpp"
#include "host/distributed/whereabouts.hpp"
#include "host/failure.hpp"

namespace mortise::host {
namespace {

// Equal for processes that see each other: one kernel, one space of process ids, one user.
std::string host_identity_text() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code ignored;
  const std::string processes =
      std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
  return boot + " " + processes + " " + std::to_string(geteuid());
}

std::string host_key(std::int64_t rank) { return "host/" + std::to_string(rank); }

class RendezvousStore final : public GroupStore {
 public:
  RendezvousStore(Rendezvous& rendezvous, const GroupRequest& group)
      : rendezvous_(rendezvous), group_(group) {}
  void set(std::string_view key, std::string_view value) override {
    rendezvous_.set(group_.name + std::string(key), std::string(value));
  }
  std::string get(std::string_view key, std::int64_t rank) override {
    try {
      return rendezvous_.get(group_.name + std::string(key), group_.ranks.at(std::size_t(rank)));
    } catch (const Failure& f) {
      throw Error(ErrorCode::lost_rank, f.what());
    }
  }

 private:
  Rendezvous& rendezvous_;
  const GroupRequest& group_;
};

// In the handler of what a connector has thrown.
[[noreturn]] void refuse(const Error& e, const std::string& asked) {
  if (e.code() != ErrorCode::not_supported) throw;
  throw Failure("C0315", Exit::configuration,
                "error[C0315]: " + asked + ": " + e.what() + ": write auto or gloo");
}

RankGroup group_of(const GroupRequest& request, const std::string& device) {
  RankGroup group;
  group.name = request.name;
  group.ranks = request.ranks;
  group.rank = std::find(group.ranks.begin(), group.ranks.end(), request.own) - group.ranks.begin();
  group.timeout = std::chrono::duration<double>(request.timeout).count();
  group.device = device;
  return group;
}

}  // namespace

Carrier::Carrier(Carriage carriage, const RankEnvironment& ranks,
                 std::shared_ptr<Rendezvous> rendezvous)
    : carriage_(std::move(carriage)), rendezvous_(std::move(rendezvous)) {
  if (carriage_.connector == nullptr || rendezvous_ == nullptr) return;
  host_ = host_identity_text();
  hosts_[ranks.rank] = host_;
  rendezvous_->set(host_key(ranks.rank), host_);
}

// If all are, every member finds so; if not, every member finds one that is elsewhere.
bool Carrier::on_one_host(const GroupRequest& request) {
  return std::all_of(request.ranks.begin(), request.ranks.end(), [&](std::int64_t rank) {
    const auto [known, is_new] = hosts_.try_emplace(rank);
    if (is_new) known->second = rendezvous_->get(host_key(rank), rank);
    return known->second == host_;
  });
}

std::unique_ptr<Communicator> Carrier::connect(const GroupRequest& request) {
  std::unique_ptr<Communicator> cpu = on_cpu(request);
  if (carriage_.of_device == nullptr || request.ranks.size() == 1) return cpu;
  GroupRequest other = request;
  other.name += "device/";
  try {
    return by_device(std::move(cpu), through(*carriage_.of_device, other, carriage_.device));
  } catch (const Error& e) {
    refuse(e, "run.device: " + carriage_.device);
  }
}

std::unique_ptr<Communicator> Carrier::on_cpu(const GroupRequest& request) {
  if (carriage_.connector == nullptr || request.ranks.size() == 1 ||
      (carriage_.automatic && !on_one_host(request)))
    return make_communicator(rendezvous_, request);
  try {
    return through(*carriage_.connector, request, "cpu");
  } catch (const Error& e) {
    if (e.code() != ErrorCode::not_supported || !carriage_.automatic)
      refuse(e, "run.communicator: " + carriage_.name);
    if (!told_ && request.own == request.ranks.front())
      carriage_.notice("collectives go through gloo: " + carriage_.name + ": " + e.what());
    told_ = true;
    return make_communicator(rendezvous_, request);
  }
}

std::unique_ptr<Communicator> Carrier::through(Connector& connector, const GroupRequest& request,
                                               const std::string& device) {
  RendezvousStore store(*rendezvous_, request);
  whereabouts().wait_in(Operation::connecting);
  auto made = connector.connect(group_of(request, device), store);
  whereabouts().go_on();
  return made;
}

}  // namespace mortise::host
