#include "host/cli/command_line.hpp"

#include <cstdio>
#include <exception>
#include <iostream>
#include <mortise/kit/manifest.hpp>

#include "host/cli/session.hpp"
#include "host/failure.hpp"
#include "host/wiring/crash_report.hpp"
#include "host/wiring/failure_of_error.hpp"
#include "host/wiring/host_tables.hpp"

namespace mortise::host {
namespace {

constexpr const char* kHelp =
    R"(mortise: trains large language models from one YAML file and plugins

usage: mortise COMMAND [ARGUMENTS]

  run FILE [-n RANKS]     train, or go on where the run stopped
  check FILE              everything that can be known before a run
  config show FILE        the whole configuration, with the origin of every value
  config schema|docs      JSON Schema for editors; every key and setting there is, as a page
  replay RUN --step N     repeats a step exactly and finds what is not finite
  plugin list|inspect|docs|why
                          what plugins there are and what they offer
  plugin new|build|validate
                          a plugin of your own: writes, builds and checks it
  data pack, generate, …  commands of plugins: mortise plugin list shows them

  --version               versions of host, SDK and LibTorch
  COMMAND --help          options and an example

examples:
  mortise run run.yaml -n 2
  mortise run run.yaml --set optimizer.learning_rate=3e-4 --set run.name=low_rate
  mortise generate runs/shakespeare --prompt "ROMEO:"

exit codes: 0 done, 1 our bug, 2 usage or configuration, 3 plugin, 4 data, 5 training,
            6 ranks, 7 storage, 75 stopped cleanly, run again to continue
)";

int dispatch(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    std::cout << kHelp;
    return arguments.empty() ? int(Exit::configuration) : 0;
  }
  if (arguments[0] == "--version") {
    std::cout << "mortise " << MORTISE_VERSION << "\nSDK " << MORTISE_SDK_TEXT << "\nLibTorch "
              << libtorch_version() << "\nbuilt with g++ " << __VERSION__ << "\n";
    return 0;
  }
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (arguments[0] == "run") return run_command(rest);
  if (arguments[0] == "check") return check_command(rest);
  if (arguments[0] == "config") return config_command(rest);
  if (arguments[0] == "replay") return replay_command(rest);
  if (arguments[0] == "plugin") return plugin_command(rest);
  return component_command(arguments);
}

int tell(const std::string& text, Exit exit) {
  if (!text.empty()) {
    const std::string line = text.back() == '\n' ? text : text + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
  return int(exit);
}

}  // namespace

int run_command_line(const Arguments& arguments) {
  report_crashes();
  try {
    return dispatch(arguments);
  } catch (const Failure& f) {
    return tell(f.what(), f.exit());
  } catch (const Error& e) {
    const Failure f = failure_of(e, "this command");
    return tell(f.what(), f.exit());
  } catch (const std::bad_alloc&) {
    return tell("error[K0102]: out of memory", Exit::storage);
  } catch (const std::exception& e) {
    return tell(
        std::string("bug: ") + e.what() + "\nThis is a fault of mortise itself: please report it.",
        Exit::bug);
  }
}

}  // namespace mortise::host
