#pragma once

// The calls into components that a thread is in, for whoever has to tell about a crash.

#include <string_view>

namespace [[gnu::visibility("hidden")]] mortise {
namespace kit {

// A call, for as long as the object lives on the stack of the thread that made it. Each library
// knows the calls that it made itself.
class CallInProgress {
 public:
  // Lent. `component`: "llama of org.mortise.llama", null where nobody gave a name.
  CallInProgress(const char* component, const std::string_view* call)
      : component_(component), call_(call), outer_(innermost) {
    innermost = this;
  }
  ~CallInProgress() { innermost = outer_; }
  CallInProgress(const CallInProgress&) = delete;

  const char* component() const { return component_; }
  std::string_view call() const { return *call_; }
  // The one from within which this one was made.
  const CallInProgress* outer() const { return outer_; }

  // Of this thread; null: none.
  inline static constinit thread_local const CallInProgress* innermost = nullptr;

 private:
  const char* component_;
  const std::string_view* call_;
  const CallInProgress* outer_;
};

}  // namespace kit
}  // namespace mortise
