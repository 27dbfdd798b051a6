#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace [[gnu::visibility("hidden")]] mortise {

/// Why a call failed; crosses the boundary as a number.
enum class ErrorCode : std::int32_t {
  failed = 1,  ///< anything not told apart below
  out_of_memory = 2,
  bad_settings = 3,   ///< the run file is wrong: ends the run before its first step, exit code 2
  bad_argument = 4,   ///< the caller is wrong
  not_supported = 5,  ///< asked for something that this side does not know
  bad_data = 6,       ///< an input file is wrong: exit code 4
  lost_rank = 7,      ///< a collective failed or timed out: exit code 6
  storage = 8,        ///< a file could not be written or read: exit code 7
};

/// What a component throws on purpose, and what every failed call into a component throws.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string type = "mortise::Error",
        std::string trace = {})
      : std::runtime_error(message),
        code_(code),
        type_(std::move(type)),
        trace_(std::move(trace)) {}
  ErrorCode code() const { return code_; }
  /// The C++ type that was thrown first, such as `c10::Error`.
  const std::string& type() const { return type_; }
  /// Stack trace of the thrower; empty if it made none.
  const std::string& trace() const { return trace_; }

 private:
  ErrorCode code_;
  std::string type_, trace_;
};

/// A setting is wrong in a way that its schema cannot say.
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& message)
      : Error(ErrorCode::bad_settings, message, "mortise::ConfigError") {}
};

/// Tensors do not fit together; the message names the operand and both shapes.
class ShapeError : public Error {
 public:
  explicit ShapeError(const std::string& message)
      : Error(ErrorCode::bad_argument, message, "mortise::ShapeError") {}
};

/// An input file is wrong; the message names file and place.
class DataError : public Error {
 public:
  explicit DataError(const std::string& message)
      : Error(ErrorCode::bad_data, message, "mortise::DataError") {}
};

}  // namespace mortise
