#pragma once

#include <optional>

#include "host/config/document/node.hpp"
#include "host/config/findings.hpp"

namespace mortise::host {

// Reads one YAML document into a located tree: aliases are expanded, keys are unique texts. Refused
// with a finding each: duplicate keys, merge keys, tags, keys that are no text, several documents,
// anchors that contain themselves, more than kMaxDepth levels, kMaxValues values or
// kMaxExpandedBytes of text.
//
// Nothing comes back when the text could not be read to its end; an empty text is null.
std::optional<Node> read_document(const Source& source, Findings& findings);

}  // namespace mortise::host
