#include "host/wiring/call_in_progress.hpp"

#include <unistd.h>

#include <exception>
#include <mortise/kit/errors.hpp>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

// A terminate handler can reach nothing else.
thread_local const std::string* component_in_call = nullptr;
thread_local const char* call_made = nullptr;
std::terminate_handler handler_before = nullptr;

std::string thrown() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "ended the process";
  std::string text = "threw " + kit::readable(type) + " where nothing may be thrown";
  try {
    throw;
  } catch (const std::exception& e) {
    const std::string what = e.what();  // c10::Error appends its trace
    text += ": " + what.substr(0, what.find('\n'));
  } catch (...) {
  }
  return text;
}

[[noreturn]] void tell_and_end() {
  if (component_in_call == nullptr) handler_before();
  const std::string line =
      "error[P2004]: " + *component_in_call + ": " + call_made + ": " + thrown() + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  _exit(int(Exit::plugin));
}

}  // namespace

CallInProgress::CallInProgress(const std::string& component, const char* call) {
  component_in_call = &component;
  call_made = call;
}
CallInProgress::~CallInProgress() { component_in_call = nullptr; }

void name_calls_on_terminate() { handler_before = std::set_terminate(tell_and_end); }

}  // namespace mortise::host
