#pragma once

#include "host/loading/manifest/bounded_json.hpp"

namespace mortise::host {

// Throws FileFault unless the place holds a schema as the SDK writes it: an object type with
// properties and rules. What stands in it is then safe to read for configuration and docs.
void check_schema(const JsonPlace& schema);

// Whether `text` is "vendor[.domain]/name/major".
bool is_interface_id(std::string_view text);

}  // namespace mortise::host
