#pragma once

#include <optional>
#include <string>

#include "host/config/document/node.hpp"
#include "host/config/schema.hpp"

namespace mortise::host {

// The default of the setting at `path` when no file sets it: from the schema of its section or of
// the component that stands above it in `root`. Linked defaults are followed.
std::optional<Node> schema_default(const Node& root, const Catalog& catalog,
                                   const std::string& path);

}  // namespace mortise::host
