#include "host/wiring/failure_of_error.hpp"

namespace mortise::host {
namespace {

struct Cause {
  const char* id;
  Exit exit;
};

Cause cause_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_settings:
      return {"C0401", Exit::configuration};
    case ErrorCode::bad_data:
      return {"D0101", Exit::data};
    case ErrorCode::lost_rank:
      return {"R0201", Exit::ranks};
    case ErrorCode::storage:
      return {"K0101", Exit::storage};
    case ErrorCode::out_of_memory:
      return {"K0102", Exit::storage};
    case ErrorCode::not_supported:
      return {"P2002", Exit::plugin};
    default:
      return {"P2001", Exit::plugin};
  }
}

}  // namespace

Failure failure_of(const Error& error, const std::string& who, const std::string& where) {
  const Cause cause = cause_of(error.code());
  std::string text = where + "error[" + cause.id + "]: " + who + ": " + error.what();
  if (cause.exit == Exit::plugin && error.type() != "mortise::Error")
    text += " (threw " + error.type() + ")";
  return Failure(cause.id, cause.exit, text);
}

}  // namespace mortise::host
