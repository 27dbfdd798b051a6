#pragma once

#include <string>
#include <vector>

#include "host/config/document/document.hpp"
#include "host/config/document/source.hpp"

namespace mortise::host {

struct LoadRequest;

// The files of a run, composed, before interpolation.
struct Composed {
  Node root;      // all layers and --set
  Node defaults;  // the lowest layer alone
  Node site;      // the operator's sections
  const Source* file = nullptr;
};

// Reads defaults.yaml, site.yaml, the included files in order, the file and --set. When a file
// cannot be read to its end, the findings say so and the rest is not composed.
Composed compose(const LoadRequest& request, Sources& sources, Findings& findings);

}  // namespace mortise::host
