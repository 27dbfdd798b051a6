#pragma once

#include <mortise/parallel/communicator.hpp>
#include <string>
#include <vector>

namespace mortise::host {

// Every rank's text, in rank order, on every rank. Collective.
std::vector<std::string> gather_text(Communicator& group, const std::string& mine);

}  // namespace mortise::host
