#pragma once

#include <string>

#include "host/loading/gate.hpp"
#include "host/loading/manifest/bounded_json.hpp"

namespace mortise::host {

// {"file", "accepted", "id", "version", ..., "components": [...], "findings": [...]}
Json judgement_json(const Judgement& judgement);
Json findings_json(const std::vector<PluginFinding>& findings);

// Indented, in UTF-8 whatever bytes a file holds, with a final line end.
std::string printed(const Json& json);

}  // namespace mortise::host
