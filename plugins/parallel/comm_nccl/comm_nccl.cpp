// Collectives of GPUs through NCCL. Not tried on a GPU yet.

#include <mortise/parallel/connector.hpp>
#include <mortise/plugin.hpp>

#include "communicator.hpp"

namespace {

using mortise::Error;
using mortise::ErrorCode;

constexpr char kReason = '!';  // begins a value that says why there is none

std::string hex_of(const ncclUniqueId& id) {
  std::string hex;
  for (const char c : id.internal) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  }
  return hex;
}

ncclUniqueId id_of(const std::string& hex) {
  ncclUniqueId id{};
  for (std::size_t i = 0; i != sizeof id.internal && 2 * i + 1 < hex.size(); ++i)
    id.internal[i] = char(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  return id;
}

// The id that the first member makes for one of the group's lanes.
ncclUniqueId shared_id(const mortise::RankGroup& group, mortise::GroupStore& store,
                       const std::string& lane) {
  if (group.rank == 0) {
    ncclUniqueId id;
    const ncclResult_t result = ncclGetUniqueId(&id);
    store.set(lane, result == ncclSuccess ? hex_of(id)
                                          : kReason + std::string(ncclGetErrorString(result)));
  }
  const std::string text = store.get(lane, 0);
  if (text[0] == kReason) throw Error(ErrorCode::not_supported, text.substr(1));
  return id_of(text);
}

class Nccl final : public mortise::Connector {
 public:
  std::unique_ptr<mortise::Communicator> connect(const mortise::RankGroup& group,
                                                 mortise::GroupStore& store) override {
    if (!group.device.starts_with("cuda"))
      throw Error(ErrorCode::not_supported, "NCCL carries tensors of GPUs, run.device is cpu");
    mortise_nccl::Lanes lanes;
    for (const auto& [lane, name] :
         {std::pair{&lanes.all, "all"}, {&lanes.up, "up"}, {&lanes.down, "down"}})
      *lane = std::make_shared<mortise_nccl::Lane>(group, shared_id(group, store, name));
    return mortise_nccl::make_communicator(std::move(lanes), group.rank,
                                           std::int64_t(group.ranks.size()));
  }
};

}  // namespace

MORTISE_PLUGIN("org.mortise.comm_nccl", MORTISE_VERSION,
               mortise::component<Nccl, mortise::Connector>("nccl",
                                                            "collectives of GPUs through NCCL"));
