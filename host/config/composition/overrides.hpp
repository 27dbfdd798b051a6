#pragma once

#include <string>
#include <vector>

#include "host/config/document/source.hpp"

namespace mortise::host {

struct Node;

// Applies PATH=VALUE and PATH+=VALUE in order. VALUE is YAML; null restores the default. Each step
// of PATH is a key, or in a list the name of an element (its `name`, else its `use`) or its number
// from 0; "…" around a step keeps dots in it. += appends to a list (a list appends its elements)
// and turns a single value into a list.
void apply_overrides(Node& root, const std::vector<std::string>& sets, const Node& defaults,
                     Sources& sources, Findings& findings);

}  // namespace mortise::host
