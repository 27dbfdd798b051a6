#pragma once

#include "host/validation/checker/progress.hpp"
#include "host/validation/checker/subject.hpp"

namespace mortise::host {

// Loads the file; it may do nothing that is seen from outside.
const mt_plugin_v1& check_load(const Judgement& judgement, Progress& progress);

// Views, and many lives one after the other.
void check_life(Subject& subject, Progress& progress);

// Every bound, each value just outside of it, every choice.
void check_settings_of(Subject& subject, Progress& progress);

// The suite of each interface that the component offers.
void check_contract(Subject& subject, Progress& progress);

}  // namespace mortise::host
