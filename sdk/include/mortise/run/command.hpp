#pragma once

#include <mortise/c/command.h>

#include <cstdint>
#include <mortise/kit/structs.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// A command of the command line: key `data.pack` is `mortise data pack`. Its options are its
/// settings: `--field .text` sets `field`, settings marked positional() take what stands alone.
///
/// A command writes results to standard output and progress to standard error.
///
/// Errors:  what it throws ends the process with the exit code of its ErrorCode and one message.
/// Threads: called once, on the main thread.
/// Ranks:   one process without ranks.
class Command : public Interface {
 public:
  /// Does the work and returns the exit code: 0 when it is done.
  virtual std::int64_t run() = 0;
};

template <>
class Remote<Command> final : public kit::RemoteBase<Command, mt_command_v1> {
 public:
  static constexpr const char* id = "mortise/command/1";
  using Methods = kit::Methods<&Command::run>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::int64_t run() override { return call(&Table::run, &Command::run); }
};

}  // namespace mortise
