#pragma once

namespace mortise::host {

// From now on the first SIGINT, SIGTERM or SIGUSR1 asks the run to stop at the next step; a second
// one ends the process at once. Somebody who stops reading what is printed ends nothing.
void listen_for_stop();
// The signal that asked; 0: none.
int stop_signal();

}  // namespace mortise::host
