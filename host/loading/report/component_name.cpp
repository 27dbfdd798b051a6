#include "host/loading/report/component_name.hpp"

#include <algorithm>

#include "host/failure.hpp"
#include "host/loading/finding.hpp"

namespace mortise::host {

ComponentName::ComponentName(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) plugin_ = text.substr(0, colon);
  key_ = colon == std::string::npos ? text : text.substr(colon + 1);
  if (is_plugin_name(key_) && (colon == std::string::npos || is_plugin_name(plugin_))) return;
  throw Failure("P1024", Exit::configuration,
                "error[P1024]: " + quoted_path(text) +
                    " is no name of a plugin or component\n"
                    "  expected: a component's key, a plugin's id, or ID:KEY\n"
                    "  got:      " +
                    quoted_path(text) +
                    "\n"
                    "  do:       `mortise plugin list` shows the names; for a file use "
                    "`mortise plugin inspect FILE`");
}

bool ComponentName::matches(const Manifest& manifest, const ManifestComponent& component) const {
  if (!plugin_.empty()) return manifest.id == plugin_ && component.key == key_;
  return component.key == key_ || manifest.id == key_;
}

bool ComponentName::matches(const Manifest& manifest) const {
  return (plugin_.empty() && manifest.id == key_) ||
         std::any_of(manifest.components.begin(), manifest.components.end(),
                     [&](const ManifestComponent& c) { return matches(manifest, c); });
}

std::string interface_kind(const std::string& interface_id) {
  constexpr std::string_view ours = "mortise/";
  if (!interface_id.starts_with(ours)) return interface_id;
  return interface_id.substr(ours.size(), interface_id.rfind('/') - ours.size());
}

}  // namespace mortise::host
