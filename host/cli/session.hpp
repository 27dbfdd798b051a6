#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/cli/installation.hpp"
#include "host/config/run_file.hpp"
#include "host/loading/catalog.hpp"

namespace mortise::host {

// What most commands need: the installation and the plugins that can be found from here.
class Session {
 public:
  // `files`: plugins of --plugin. `request` names a run file whose plugin folders count too, or
  // has an empty file.
  Session(const std::vector<std::string>& files, LoadRequest request);
  // For commands without a run file.
  explicit Session(const std::vector<std::string>& files) : Session(files, LoadRequest{}) {}

  const PluginCatalog& plugins() const { return *plugins_; }
  const Catalog& catalog() const { return *catalog_; }
  // Composes and checks the run file. Throws Failure with all findings.
  RunFile load() const;
  // Refuses a file that --plugin or plugins.files names and the gate does not accept. One that is
  // only found in a folder matters when it is needed. Throws Failure (exit plugin).
  void require_named_plugins() const;

 private:
  LoadRequest request_;
  std::unique_ptr<PluginCatalog> plugins_;
  std::unique_ptr<Catalog> catalog_;
};

// Fills in where this installation keeps defaults, site file and shipped configurations.
LoadRequest request_for(const std::string& file, const std::vector<std::string>& sets);

}  // namespace mortise::host
