#pragma once

#include <string>
#include <vector>

#include "host/distributed/rendezvous.hpp"

namespace mortise::host {

// Something that must be equal on all ranks: "host", "LibTorch", "plugin org.mortise.llama",
// "configuration".
struct AgreementItem {
  std::string name, value;
};

// Rank 0 compares what every rank brings; a difference ends all ranks with a Failure (exit
// ranks); that of rank 0 names rank and item, the others have no message. Collective over the
// store.
void require_agreement(Rendezvous& rendezvous, const RankEnvironment& ranks,
                       const std::vector<AgreementItem>& mine);

}  // namespace mortise::host
