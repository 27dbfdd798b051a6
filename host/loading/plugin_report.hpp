#pragma once

#include <string>

#include "host/loading/catalog.hpp"

namespace mortise::host {

// Texts and JSON of `mortise plugin list|inspect|docs|why`. Pure functions: none loads a plugin.

std::string list_text(const PluginCatalog& catalog);
std::string list_json(const PluginCatalog& catalog);

// Everything that is known about one file, with all findings.
std::string inspect_text(const Judgement& judgement);
std::string inspect_json(const Judgement& judgement);

// The entry with this plugin id, also if it is refused. Throws Failure (exit 2) for a name with
// separators, (exit 3, P1021) if there is none.
const CatalogEntry& entry_named(const PluginCatalog& catalog, const std::string& plugin);

// Markdown with one table of settings for each component, made from its schema. `name`: a
// component's key, a plugin's id, plugin:key, or "" for all. Throws Failure like entry_named().
std::string docs_text(const PluginCatalog& catalog, const std::string& name = "");
// The same of every component, sorted by kind and name: a page of the documentation.
std::string reference_text(const PluginCatalog& catalog);
std::string docs_json(const PluginCatalog& catalog, const std::string& name = "");

// Where `name` was looked for, in order, and why each candidate was taken or not.
std::string why_text(const PluginCatalog& catalog, const std::string& name);
std::string why_json(const PluginCatalog& catalog, const std::string& name);

}  // namespace mortise::host
