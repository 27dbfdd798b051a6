#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/config/document/node.hpp"
#include "host/config/findings.hpp"

namespace mortise::host {

// What a setting is when no file sets it, for ${path}.
using DefaultLookup = std::function<std::optional<Node>(const std::string& path)>;

// Replaces in every scalar of `root`:
//   ${a.b.c}              the setting at that path
//   ${env:NAME}           an environment variable; set and empty counts as empty text
//   ${env:NAME:-default}  with a default for one that is unset or empty, as in the shell
//   ${secret:NAME}        an environment variable whose value is never written or shown
//   $${                   a literal ${
// A scalar that is exactly one ${…} takes its type: a whole list or mapping, or a value as it would
// be without quotes. Inside longer text only single values can stand. Interpolations do not nest,
// and none is allowed in a key. What is wrong is a finding each, and the scalar is marked faulty.
void interpolate(Node& root, const DefaultLookup& defaults, Findings& findings);

// The same for one part that stands at `path`, looking paths up in `root`, which stays as it is.
void interpolate(Node& part, const Node& root, const std::string& path, Findings& findings,
                 const DefaultLookup& defaults = {});

// `text` with every ${ as $${, so that it reads back as itself.
std::string escape_interpolation(const std::string& text);

}  // namespace mortise::host
