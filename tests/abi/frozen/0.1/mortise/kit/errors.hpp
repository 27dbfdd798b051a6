#pragma once

// Exceptions become a status on the side that throws, and an exception again on the side that
// called.

#include <cxxabi.h>
#include <mortise/c/base.h>

#include <algorithm>
#include <cstdlib>
#include <mortise/error.hpp>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>

namespace [[gnu::visibility("hidden")]] mortise {
namespace kit {

inline std::string_view view(mt_text t) { return {t.data, t.size}; }
inline mt_text text(std::string_view s) { return {s.data(), s.size()}; }

inline std::string readable(const std::type_info* type) {
  if (type == nullptr) return "unknown";
  char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr);
  std::string result = name != nullptr ? name : type->name();
  std::free(name);
  return result;
}

inline mt_status tell(const mt_error_sink* sink, ErrorCode code, std::string_view message,
                      std::string_view type, std::string_view trace = {}) {
  sink->report(sink->self, static_cast<mt_status>(code), text(message), text(type), text(trace));
  return static_cast<mt_status>(code);
}

// To be called inside a catch block.
inline mt_status tell_current_exception(const mt_error_sink* sink) noexcept {
  try {
    throw;
  } catch (const Error& e) {
    return tell(sink, e.code(), e.what(), e.type(), e.trace());
  } catch (const std::bad_alloc& e) {
    return tell(sink, ErrorCode::out_of_memory, e.what(), "std::bad_alloc");
  } catch (const std::exception& e) {
    const std::string_view what = e.what();  // c10::Error appends its trace to the text
    const auto cut = std::min(what.find("\nException raised from "), what.size());
    return tell(sink, ErrorCode::failed, what.substr(0, cut), readable(&typeid(e)),
                what.substr(cut));
  } catch (...) {
    return tell(sink, ErrorCode::failed, "threw something that is no std::exception",
                readable(abi::__cxa_current_exception_type()));
  }
}

// The caller's end: keeps the report of a failed call and throws it.
class Failure {
 public:
  const mt_error_sink* sink() { return &sink_; }
  void check(mt_status status) const {
    if (status != 0) raise(status, "");
  }
  // `from`: who was called, in front of the message.
  [[noreturn]] void raise(mt_status status, const std::string& from) const {
    throw Error(static_cast<ErrorCode>(status), from + message_, type_, trace_);
  }

 private:
  static void report(void* self, mt_status, mt_text message, mt_text type, mt_text trace) noexcept {
    auto* failure = static_cast<Failure*>(self);
    try {
      failure->message_ = view(message);
      failure->type_ = view(type);
      failure->trace_ = view(trace);
    } catch (const std::bad_alloc&) {  // the status still tells that the call has failed
    }
  }
  std::string message_, type_, trace_;
  mt_error_sink sink_{this, &report};
};

}  // namespace kit
}  // namespace mortise
