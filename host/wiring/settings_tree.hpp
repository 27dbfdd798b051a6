#pragma once

#include <mortise/c/plugin.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "host/config/setting.hpp"

namespace mortise::host {

// Typed settings in the form that crosses the boundary, with the storage behind it. Lives as long
// as the component that is made from it.
class SettingsTree {
 public:
  // `made` gives the object of a component that another one takes as a setting.
  // Throws Failure (exit configuration) for a linked default that nothing has resolved; `place` is
  // that of the component.
  using Made = std::function<mt_object(const Setting& component)>;
  SettingsTree(const Setting::Map& settings, const Made& made, std::string place = "");
  SettingsTree(const SettingsTree&) = delete;
  mt_values values() const { return values_; }

 private:
  mt_values map(const Setting::Map& entries, const Made& made);
  mt_value node(const char* key, const Setting& setting, const Made& made);
  mt_values amount(const Amount& amount);
  const char* keep(const std::string& text);

  std::string place_;
  std::deque<std::vector<mt_value>> arrays_;
  std::deque<std::string> texts_;
  mt_values values_{};
};

}  // namespace mortise::host
