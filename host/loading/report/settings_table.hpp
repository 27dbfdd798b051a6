#pragma once

#include <string>

namespace mortise::host {

// A Markdown table of the settings of a schema that passed check_schema(); nested structs appear
// with dotted names.
std::string settings_table(const std::string& schema);

}  // namespace mortise::host
