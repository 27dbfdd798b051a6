#pragma once

#include <string>

#include "host/loading/manifest/bounded_json.hpp"

namespace mortise::host {

// A Markdown table of the settings of a schema that passed check_schema(); nested structs appear
// with dotted names.
std::string settings_table(const std::string& schema);
// The same of a schema of the host's own sections, whose words host/config/checking/checker.hpp
// lists.
std::string schema_table(const Json& schema);

}  // namespace mortise::host
