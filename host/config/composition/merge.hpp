#pragma once

#include "host/config/document/node.hpp"

namespace mortise::host {

// Lays `over` on `base`. Mappings merge deeply, except that a node whose `use` changes replaces the
// old one whole, as does one that turns from use: to ref:. Lists and scalars replace. A bare word
// counts as {use: word} where the other side is a mapping. A null takes back what lower layers said
// and leaves the default: `defaults` at the same place (null: there is none).
void merge(Node& base, Node over, const Node* defaults);

}  // namespace mortise::host
