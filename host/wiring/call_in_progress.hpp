#pragma once

#include <string>

namespace mortise::host {

// The call into a component that this thread is in, where nothing may be thrown out of it: its
// destruction. Lent texts.
class CallInProgress {
 public:
  CallInProgress(const std::string& component, const char* call);
  ~CallInProgress();
  CallInProgress(const CallInProgress&) = delete;
};

// From now on std::terminate within such a call names component, call and what was thrown, and ends
// the process with the exit code of a plugin's failure.
void name_calls_on_terminate();

}  // namespace mortise::host
