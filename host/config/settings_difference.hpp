#pragma once

#include <string>
#include <vector>

#include "host/config/setting.hpp"

namespace mortise::host {

// The settings of a resolved file as one text each, by path and in the file's order. Elements of a
// list go by name ("optimizer.adamw.betas"); a component stands with its `use` at its own path,
// a list of components with the names of its elements.
struct FlatSetting {
  std::string key, value;
};
using FlatSettings = std::vector<FlatSetting>;

// `name` is what messages call the text, which write_resolved() has written. Throws Failure, exit
// 2, when it cannot be read.
FlatSettings flatten_resolved(const std::string& text, const std::string& name);
// The value of a key; "" when it is not there.
std::string value_of(const FlatSettings& settings, const std::string& key);

// A setting that is not what it was; an empty text: it was, or is, not there.
struct SettingChange {
  std::string key, before, after;
};

// What differs between the settings that a run had and those of `now`. Left out: what follows from
// another difference (linked settings, what lies below a component that was replaced), settings
// that came with a newer plugin and stand at their default, and what follows from the run's length.
std::vector<SettingChange> changes_since(const FlatSettings& before, const Setting& now);

}  // namespace mortise::host
