#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mortise::host {

// What `mortise plugin new` is asked for.
struct NewPlugin {
  std::string kind, name;
  std::filesystem::path folder;  // of the project; "" for ./NAME
};

// Where the templates lie: a folder for each kind and `project`, with the words my_plugin and
// MyPlugin in file names and texts.
struct PluginTemplates {
  std::filesystem::path folder, license;
  // Sorted. Throws Failure (C0913) where this installation has none.
  std::vector<std::string> kinds() const;
};

// Copies the templates of a kind and puts the name into them. Returns the project's folder.
// Throws Failure: C0910 for a name that is none, C0911 for a kind that is not there, C0912 for a
// folder that is not empty, K0002 where it cannot be written. A failure leaves no folder.
std::filesystem::path write_new_plugin(const NewPlugin& wish, const PluginTemplates& templates);

}  // namespace mortise::host
