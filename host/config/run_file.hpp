#pragma once

#include <string>
#include <vector>

#include "host/config/findings.hpp"
#include "host/config/schema.hpp"
#include "host/config/setting.hpp"

namespace mortise::host {

// What a run is made from. Empty names of defaults and site mean that there is none.
struct LoadRequest {
  std::string file;
  std::vector<std::string> sets;  // PATH=VALUE or PATH+=VALUE, see composition/overrides.hpp
  std::string defaults_file;      // lowest layer: names the default components
  std::string site_file;          // the operator's: only folders, keys, policy, network
  std::vector<std::string> include_folders;  // of the installation; MORTISE_CONFIG_PATH comes first
};

struct RunFile {
  Setting root;               // a map of sections with all defaults
  Setting site;               // a map of the operator's sections
  std::string resolved_yaml;  // write_resolved(root)
};

// Reads, composes, interpolates and checks the settings of a run. Optional values that nobody set
// are absent. Sections that are objects and need no key are there with their defaults; `optimizer`,
// `parallel`, `layer_ops`, `observers` and `log.sinks` are lists even where one node was written.
//
// Throws Failure, exit 2, whose message holds all findings ordered by position.
RunFile load_run_file(const LoadRequest& request, const Catalog& catalog);

// The plugins section alone, from the same layers, read before there is a catalog.
struct PluginSection {
  std::vector<std::string> folders;  // absolute
  std::vector<std::string> files;    // absolute
  std::string policy;                // "" | off | warn | require
  Setting site;                      // its folders.plugins are searched too
};
// Throws Failure, exit 2, when a file cannot be read or the section is wrong. Other sections are
// not judged yet.
PluginSection read_plugin_section(const LoadRequest& request);

// Settings as a file with the origin of each value as a comment. It loads to the same settings
// (without --set and includes); secrets stand in it as ${secret:NAME}, paths are absolute, linked
// defaults that are still open are comments. Write it again after resolve_links().
std::string write_resolved(const Setting& root);

// One option of a command line: a setting by name with its text, as often as it was given.
struct NamedText {
  std::string name;  // "top_k"
  std::string text;
  std::string shown;  // "--top-k", for messages
};

// Holds options against a command's schema; `command` is what messages call it. Texts of text
// settings are taken as they are; a list takes each occurrence as an element; maps, objects and
// components with settings are YAML ("{use: byte}"), and a component may be the path of its file or
// of a run; a bool with empty text is true. Paths are relative to the working folder.
// `installation` is what lies around such a run file; its own `file` is not read. Throws Failure,
// exit 2, with all findings.
Setting check_settings(const nlohmann::json& schema, const std::vector<NamedText>& given,
                       const Catalog& catalog, const std::string& command,
                       const LoadRequest& installation = {});

}  // namespace mortise::host
