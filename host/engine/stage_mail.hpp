#pragma once

#include <map>
#include <memory>
#include <mortise/parallel/communicator.hpp>
#include <tuple>
#include <vector>

namespace mortise::host {

// What a message between two stages holds: activations that a unit has made, or the gradients of
// them; the sizes of the batch that they belong to, and whether it is trained on (sequence
// parallelism cuts activations in training only).
struct Letter {
  std::int64_t peer = 0;
  bool gradients = false;
  std::int64_t unit = 0, micro_batch = 0;
  std::vector<std::int64_t> batch_sizes;
  bool training = true;
};

// Tensors between the stages of a pipeline. Their types and sizes are sent once for each kind of
// letter and size of batch; a later letter must have the same. Sends do not wait. Activations and
// gradients have a group of ranks each.
class StageMail {
 public:
  // What is received lies on `device`.
  StageMail(Communicator& stages, Communicator& back, at::Device device)
      : stages_(stages), back_(back), device_(device) {}
  // Throws Error(bad_argument) for tensors unlike those of the first letter of this kind.
  void send(const Letter& letter, const TensorList& tensors);
  TensorList receive(const Letter& letter);
  // Waits until all that was sent has left.
  void finish() { under_way_.clear(); }

 private:
  using Numbers = std::vector<std::int64_t>;  // count, then type (-1: undefined), dimensions, sizes
  using Kind = std::tuple<bool, std::int64_t, bool, std::int64_t, Numbers, bool>;
  static Kind kind_of(const Letter& letter, bool sent);
  using Passed = std::tuple<bool, std::int64_t, std::int64_t>;  // gradients?, unit, micro-batch

  Communicator& group_of(const Letter& letter) const { return letter.gradients ? back_ : stages_; }

  Communicator &stages_, &back_;
  at::Device device_;
  std::map<Kind, Numbers> known_;
  std::map<Passed, std::vector<std::unique_ptr<Work>>> under_way_;
};

}  // namespace mortise::host
