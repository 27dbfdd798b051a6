#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/config/document/node.hpp"
#include "host/config/findings.hpp"
#include "host/config/run_file.hpp"

namespace mortise::host {

// Components that an option of a command names by a path: of a file or folder of their own, or of
// a run that has one in its section of that kind.
class ComponentFiles {
 public:
  // `installation`: what lies around a run file; its own `file` is not read.
  ComponentFiles(const Catalog& catalog, const LoadRequest& installation, Sources& sources,
                 Findings& findings)
      : catalog_(catalog), installation_(installation), sources_(sources), findings_(findings) {}

  // Whether a text is a path for this field: it has a slash or an ending that is known, or is
  // there. What a plugin offers is a name, whatever lies in the working folder.
  bool is_path(const nlohmann::json& field, const std::string& text) const;

  // The component's node for such a path; after a finding it is faulty.
  Node read(const nlohmann::json& field, const Node& path, const std::string& option);

 private:
  // One field of the command that is being read.
  struct Asked {
    const nlohmann::json& field;
    const Node& path;
    const std::string& option;
  };
  Node read_file(const Asked& asked, const std::string& file);
  Node read_folder(const Asked& asked);
  Node read_run(const Asked& asked, const std::string& file);
  Node component(const Asked& asked, const std::string& use, const std::string& setting,
                 const std::string& value);
  // A file alone does not make a component whose other settings nobody knows.
  void refuse_if_more_is_needed(const Asked& asked, const Catalog::Offer& offer,
                                const std::string& setting, Node& node);
  std::string expected(const nlohmann::json& field) const;
  Node refuse(const char* id, const Asked& asked, const std::string& text);

  const Catalog& catalog_;
  const LoadRequest& installation_;
  Sources& sources_;
  Findings& findings_;
};

}  // namespace mortise::host
