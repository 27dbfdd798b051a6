#pragma once

#include <nlohmann/json.hpp>

#include "host/config/schema.hpp"

namespace mortise::host {

// JSON Schema (draft 7) of run files with what the catalog offers, for editors. It completes and
// marks what is wrong on the spot; `mortise check` alone knows layers, references and rules.
nlohmann::json editor_schema(const Catalog& catalog);

}  // namespace mortise::host
