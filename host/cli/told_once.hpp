#pragma once

#include <memory>

#include "host/distributed/rendezvous.hpp"
#include "host/distributed/roll_call.hpp"
#include "host/failure.hpp"

namespace mortise::host {

// A failure of a run is told by one rank: the first that meets it, or the starter of all. The
// others end with the same exit code and an empty message.

// Of a rank that has joined. `roll_call` may be null. A collective that has failed is told with
// what every rank was doing. Throws the Failure that the process ends with; within seconds, whether
// the store answers or not.
[[noreturn]] void tell_once(const std::shared_ptr<Rendezvous>& rendezvous,
                            const RankEnvironment& ranks,
                            const std::shared_ptr<RollCall>& roll_call, const Failure& failure);

// Of a rank that has not joined yet: it does, so that the others learn that it has failed, and who
// has met the same stays silent. Where nobody can be reached within seconds it tells by itself.
[[noreturn]] void tell_once_before_joining(const Failure& failure);

}  // namespace mortise::host
