#pragma once

#include "host/config/schema.hpp"
#include "host/wiring/component.hpp"

namespace mortise::host {

// What a plugin meets in place of a run: a tokenizer `byte`, a data set `numbered`, an inference
// service, a mesh of one rank, a log that nobody reads.
const Catalog& stand_in_catalog();
// "" for an interface that has no stand-in.
std::string stand_in_name(const std::string& interface_id);
mt_object stand_in(const std::string& interface_id);
void offer_stand_ins(Services& services);

}  // namespace mortise::host
