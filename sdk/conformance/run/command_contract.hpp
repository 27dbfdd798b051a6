#pragma once

// What can be said of every Command: it ends with an exit code or with an Error that says why.

#include <mortise/run/command.hpp>

#include "../both_ways.hpp"

namespace mortise::conformance {

// Runs the command, which is called once: give a fresh one for each check.
inline void check_command_contract(Command& command, Report& report) {
  report.section("run", [&] {
    try {
      const std::int64_t code = command.run();
      report.expect(code >= 0 && code <= 125, "run: the exit code is in [0, 125]");
    } catch (const Error& e) {
      const auto code = std::int32_t(e.code());
      report.expect(code >= 1 && code <= std::int32_t(ErrorCode::storage),
                    "run: an error has one of the known codes");
      report.expect(*e.what() != '\0', "run: an error says what went wrong");
    }
  });
}

}  // namespace mortise::conformance
