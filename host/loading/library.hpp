#pragma once

#include <mortise/c/plugin.h>

#include "host/loading/gate.hpp"

namespace mortise::host {

// Loads an accepted plugin and returns its table, which lives until the process ends: a library
// that has met LibTorch is never unloaded. Opening one file twice gives the same table.
//
// Call it on the main thread before other threads exist. Throws Failure (exit 3): P1022 if the
// file changed since it was judged or the dynamic linker refuses it, P1023 if its table disagrees
// with its manifest. Opening a refused plugin is our bug (std::logic_error).
const mt_plugin_v1& open_plugin(const Judgement& judgement);

// Holds a table against the manifest of the file that it came from; throws Failure P1023.
void check_table(const mt_plugin_v1* table, const Judgement& judgement);

}  // namespace mortise::host
