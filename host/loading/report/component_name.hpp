#pragma once

#include <string>

#include "host/loading/manifest.hpp"

namespace mortise::host {

// What a user asks for: a component's key, a plugin's id, or plugin:key.
class ComponentName {
 public:
  // Throws Failure (exit 2) for a path or anything else that is no name.
  explicit ComponentName(const std::string& text);

  bool matches(const Manifest& manifest, const ManifestComponent& component) const;
  bool matches(const Manifest& manifest) const;  // any of its components

 private:
  std::string plugin_;  // "" if the name is not qualified
  std::string key_;
};

// "mortise/tokenizer/1" -> "tokenizer"; other vendors' ids stay whole.
std::string interface_kind(const std::string& interface_id);

}  // namespace mortise::host
