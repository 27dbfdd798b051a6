#pragma once

#include "host/config/schema.hpp"
#include "host/wiring/component.hpp"

namespace mortise::host {

// What a plugin meets in place of a run: a tokenizer `byte`, an inference service, a mesh of one
// rank, a log that nobody reads.
inline constexpr const char* kStandInInterface = "mortise/tokenizer/1";
inline constexpr const char* kStandInName = "byte";

const Catalog& stand_in_catalog();
mt_object stand_in();
void offer_stand_ins(Services& services);

}  // namespace mortise::host
