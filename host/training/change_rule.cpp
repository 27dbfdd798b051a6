#include "host/training/change_rule.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace mortise::host {
namespace {

// eval.hold_out is none of them: it takes samples out of the training set.
constexpr std::array<std::string_view, 19> kFree = {"mesh",
                                                    "parallel",
                                                    "recompute",
                                                    "batch.micro_batch",
                                                    "eval.every",
                                                    "eval.tokens",
                                                    "eval.sets",
                                                    "log",
                                                    "checkpoint",
                                                    "plugins",
                                                    "gradients.max_skipped",
                                                    "run.stop_after",
                                                    "run.early_stop",
                                                    "run.timeout",
                                                    "run.name",
                                                    "run.folder",
                                                    "run.check",
                                                    "run.communicator",
                                                    "run.peak_flops"};

bool ends_with(const std::string& key, std::string_view word) {
  return key.size() > word.size() && key.ends_with(word) &&
         key[key.size() - word.size() - 1] == '.';
}

}  // namespace

bool lies_at(const std::string& path, const std::string& key) {
  return path.starts_with(key) && (path.size() == key.size() || path[key.size()] == '.');
}

bool is_length(const std::string& key) {
  return key == "run.steps" || key == "run.tokens" || key == "run.epochs";
}

ChangeRule rule_of(const std::string& key) {
  const auto at = [&](std::string_view place) { return lies_at(key, std::string(place)); };
  if (std::any_of(kFree.begin(), kFree.end(), at)) return ChangeRule::free;
  if (at("schedule") || (at("optimizer") && ends_with(key, "learning_rate")))
    return ChangeRule::noted;
  return ChangeRule::refused;
}

const char* name_of(ChangeRule rule) {
  switch (rule) {
    case ChangeRule::free:
      return "free";
    case ChangeRule::noted:
      return "noted";
    case ChangeRule::refused:
      return "accepted";  // what it is once a run goes on with it
  }
  return "";
}

}  // namespace mortise::host
