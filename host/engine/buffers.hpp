#pragma once

#include <map>
#include <mortise/parallel/communicator.hpp>

#include "host/engine/layer_chains.hpp"

namespace mortise::host {

// The buffers of a model and its links: one value each, equal on all ranks.
class Buffers {
 public:
  // Throws ConfigError for a name that a buffer or a parameter has already.
  explicit Buffers(const LayerChains& chains, at::Device device = at::kCPU);

  const std::vector<BufferInfo>& infos() const { return infos_; }
  const TensorList& values() const { return values_; }
  // The position of a buffer of this unit. Throws Error(bad_argument).
  std::size_t find(std::string_view name, std::int64_t unit) const;

  // What a visit in a round of the step offers: it counts. Values keep their order.
  void offer(std::int64_t round, const std::vector<BufferUpdate>& updates);
  // Combines what all ranks of `group` were offered in a step, round by round in the order of the
  // ranks: micro-batches stand in that order. `skip` 1: nothing changes. Collective.
  void apply(Communicator& group, std::int64_t rounds, const at::Tensor& skip);

 private:
  struct Offer {
    at::Tensor value;  // float64: for mean the sum
    std::int64_t count = 0;
  };
  // The elements of all buffers that combine in one way lie together in what ranks exchange.
  struct Section {
    Combine how;
    std::int64_t begin = 0, size = 0;
    std::vector<std::size_t> buffers{};
  };
  at::Tensor pack(std::int64_t rounds) const;
  void apply(const Section& section, const at::Tensor& offers, const at::Tensor& skip);

  std::vector<BufferInfo> infos_;
  at::Device device_;
  TensorList values_;
  std::vector<Section> sections_;
  std::vector<std::int64_t> begins_;  // of each buffer in its row
  std::int64_t elements_ = 0;
  std::map<std::pair<std::size_t, std::int64_t>, Offer> offers_;  // by buffer and round
};

}  // namespace mortise::host
