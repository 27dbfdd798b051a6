#include "host/wiring/failure_of_error.hpp"

#include <algorithm>
#include <string_view>

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

// What LibTorch says without its stack dump.
std::string first_part(const std::string& text) {
  std::string part = text;
  for (const char* dump : {"\nException raised from", "\nframe #"})
    part.resize(std::min(part.find(dump), part.size()));
  return part;
}

// An allocation that fails inside LibTorch is no mistake of the plugin.
ErrorCode code_of(const Error& error) {
  const bool memory =
      std::string_view(error.what()).find("can't allocate memory") != std::string_view::npos;
  return memory ? ErrorCode::out_of_memory : error.code();
}

}  // namespace

Failure failure_of(const Error& error, const std::string& who, const Spot& spot) {
  const Cause cause = cause_of(code_of(error));
  std::string text = spot.place + "error[" + cause.id +
                     "]: " + (spot.path.empty() ? "" : spot.path + ": ") +
                     (who.empty() ? "" : who + ": ") + first_part(error.what());
  if (cause.exit == Exit::plugin && error.type() != "mortise::Error")
    text += " (threw " + error.type() + ")";
  return Failure(cause.id, cause.exit, text);
}

}  // namespace mortise::host
