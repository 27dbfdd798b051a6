#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <mortise/parallel/selector.hpp>
#include <set>

namespace [[gnu::visibility("hidden")]] mortise {

/// Plays the schedules of all stages against each other. Returns what is wrong with the units or
/// the schedules of `selector`, "" if a step runs to its end.
inline std::string schedule_fault(const Selector& selector, std::int64_t stages, std::int64_t units,
                                  std::int64_t micro_batches);

/// "receive_gradients of unit 2, micro-batch 0, with stage 1"
inline std::string text_of(const Action& a) {
  static constexpr const char* names[] = {"forward",
                                          "backward",
                                          "weight_backward",
                                          "send_activations",
                                          "receive_activations",
                                          "send_gradients",
                                          "receive_gradients"};
  const auto kind = std::size_t(a.kind);
  return (kind < std::size(names) ? names[kind] : "an unknown action") + std::string(" of unit ") +
         std::to_string(a.unit) + ", micro-batch " + std::to_string(a.micro_batch) +
         (a.kind < Action::Kind::send_activations ? "" : ", with stage " + std::to_string(a.peer));
}

namespace schedule {

using Kind = Action::Kind;
using Pass = std::pair<std::int64_t, std::int64_t>;  // unit, micro-batch

struct Stage {
  std::vector<std::int64_t> units;
  std::vector<Action> actions;
  std::size_t next = 0;
  std::set<Pass> forward{}, backward{}, weight{};
  std::set<Pass> activations{}, gradients{};  // of the outputs of a unit, there to be used
};

class Play {
 public:
  Play(const Selector& s, std::int64_t stages, std::int64_t units, std::int64_t micro_batches)
      : units_(units), micro_batches_(micro_batches) {
    for (std::int64_t i = 0; i != stages; ++i)
      stages_.push_back({s.units(i, stages, units), s.schedule(i, stages, units, micro_batches)});
  }

  std::string fault() {
    if (std::string f = fault_of_units(); !f.empty()) return f;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i != stages_.size(); ++i)
        while (stages_[i].next != stages_[i].actions.size()) {
          const Action& a = stages_[i].actions[stages_[i].next];
          if (is_receive(a) && mail_[{a.peer, std::int64_t(i)}].empty()) break;
          const std::string f = act(std::int64_t(i), a);
          if (!f.empty()) return "stage " + std::to_string(i) + ": " + text_of(a) + ": " + f;
          ++stages_[i].next;
          moved = true;
        }
    }
    return fault_at_end();
  }

 private:
  static bool is_receive(const Action& a) {
    return a.kind == Kind::receive_activations || a.kind == Kind::receive_gradients;
  }
  bool has(std::int64_t stage, std::int64_t unit) const {
    if (stage < 0 || stage >= std::int64_t(stages_.size())) return false;
    const auto& mine = stages_[std::size_t(stage)].units;
    return std::find(mine.begin(), mine.end(), unit) != mine.end();
  }
  std::string fault_of_units() const {
    std::map<std::int64_t, int> times;
    for (const Stage& s : stages_) {
      if (s.units.empty()) return "a stage has no unit";
      if (!std::is_sorted(s.units.begin(), s.units.end())) return "units do not ascend";
      for (const std::int64_t u : s.units) ++times[u];
    }
    for (std::int64_t u = 0; u != units_; ++u)
      if (times[u] != 1) return "unit " + std::to_string(u) + " is not on exactly one stage";
    return std::int64_t(times.size()) == units_ ? "" : "there are units that the model has not";
  }
  std::string act(std::int64_t stage, const Action& a) {
    Stage& s = stages_[std::size_t(stage)];
    const Pass here{a.unit, a.micro_batch}, before{a.unit - 1, a.micro_batch};
    if (!has(stage, a.unit)) return "the stage does not have this unit";
    if (a.micro_batch < 0 || a.micro_batch >= micro_batches_) return "there is no such micro-batch";
    switch (a.kind) {
      case Kind::forward:
        if (a.unit > 0 && s.activations.erase(before) == 0) return "its inputs are not there";
        s.activations.insert(here);
        return s.forward.insert(here).second ? "" : "it is done already";
      case Kind::backward:
        if (s.forward.count(here) == 0) return "forward is not done";
        if (a.unit + 1 < units_ && s.gradients.erase(here) == 0) return "gradients are not there";
        s.gradients.insert(before);
        return s.backward.insert(here).second ? "" : "it is done already";
      case Kind::weight_backward:
        if (s.backward.count(here) == 0) return "backward is not done";
        return s.weight.insert(here).second ? "" : "it is done already";
      case Kind::send_activations:
        if (!has(a.peer, a.unit + 1)) return "the peer does not have the next unit";
        if (s.activations.erase(here) == 0) return "there is nothing to send";
        mail_[{stage, a.peer}].push_back({false, here});
        return "";
      case Kind::send_gradients:
        if (!has(a.peer, a.unit - 1)) return "the peer does not have the unit before";
        if (s.gradients.erase(before) == 0) return "there is nothing to send";
        mail_[{stage, a.peer}].push_back({true, before});
        return "";
      case Kind::receive_activations:
      case Kind::receive_gradients:
        return receive(stage, a);
    }
    return "its kind is unknown";
  }
  std::string receive(std::int64_t stage, const Action& a) {
    const bool gradients = a.kind == Kind::receive_gradients;
    const Letter wanted{gradients, {gradients ? a.unit : a.unit - 1, a.micro_batch}};
    auto& letters = mail_[{a.peer, stage}];
    if (letters.front() != wanted) return "the peer sends something else first";
    letters.pop_front();
    Stage& s = stages_[std::size_t(stage)];
    (gradients ? s.gradients : s.activations).insert(wanted.second);
    return "";
  }
  std::string fault_at_end() const {
    for (std::size_t i = 0; i != stages_.size(); ++i) {
      const Stage& s = stages_[i];
      const std::string name = "stage " + std::to_string(i);
      if (s.next != s.actions.size())
        return name + " waits for ever: " + text_of(s.actions[s.next]);
      const std::size_t passes = s.units.size() * std::size_t(micro_batches_);
      if (s.forward.size() != passes || s.backward.size() != passes)
        return name + " leaves passes out: " + std::to_string(s.forward.size()) + " forward and " +
               std::to_string(s.backward.size()) + " backward of " + std::to_string(passes);
    }
    for (const auto& [route, letters] : mail_)
      if (!letters.empty())
        return "stage " + std::to_string(route.second) + " does not receive all that stage " +
               std::to_string(route.first) + " sends";
    return "";
  }

  using Letter = std::pair<bool, Pass>;  // gradients?
  std::int64_t units_, micro_batches_;
  std::vector<Stage> stages_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::deque<Letter>> mail_;  // from, to
};

}  // namespace schedule

inline std::string schedule_fault(const Selector& selector, std::int64_t stages, std::int64_t units,
                                  std::int64_t micro_batches) {
  return schedule::Play(selector, stages, units, micro_batches).fault();
}

}  // namespace mortise
