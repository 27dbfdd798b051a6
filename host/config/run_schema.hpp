#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mortise::host {

// The sections of a run file, in the order in which they are written, and of site.yaml. Besides the
// grammar of component schemas they use the additions that checking/checker.hpp lists.
const nlohmann::json& run_schema();
const nlohmann::json& site_schema();
// Their texts, with the keys in the order in which the documentation shows them.
const char* run_schema_text();
const char* site_schema_text();
const std::vector<std::string>& section_order();

}  // namespace mortise::host
