#pragma once

#include <string>

namespace mortise::host {

// What a setting that has changed means to a run that goes on.
enum class ChangeRule {
  free,     // how the run is done: ranks, memory, what is measured, logged and saved, when it stops
  noted,    // meant to be changed on the way: the learning rate and its schedule; told
  refused,  // another run, unless the user accepts it by its key
};

// The rule of a setting by its path. The length of a run has a rule of its own: a longer one is
// noted, a shorter one refused.
ChangeRule rule_of(const std::string& key);
bool is_length(const std::string& key);
const char* name_of(ChangeRule rule);

// Whether `path` is `key` or lies below it.
bool lies_at(const std::string& path, const std::string& key);

}  // namespace mortise::host
