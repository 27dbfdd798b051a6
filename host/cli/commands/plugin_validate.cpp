#include <iostream>

#include "host/cli/command_line.hpp"
#include "host/cli/installation.hpp"
#include "host/cli/options.hpp"
#include "host/failure.hpp"
#include "host/validation/validation.hpp"
#include "host/wiring/host_tables.hpp"

namespace mortise::host {

namespace po = boost::program_options;

int plugin_validate_command(const Arguments& arguments) {
  Options options("mortise plugin validate",
                  R"(usage: mortise plugin validate FILE [--set KEY=VALUE]

Holds a plugin file to the gate, then runs its code: loading, life and settings of each component,
and the contract suite of its kind. Each check has a process of its own. Exit code 3 when one fails.

example:
  mortise plugin validate mortise_my_model.so --set width=8 --set layers=2)");
  ValidationRequest request;
  std::int64_t seed = 1, limit = request.limit.count();
  options.visible().add_options()("file", po::value<std::string>(), "the plugin")(
      "set", po::value<std::vector<std::string>>()->composing(),
      "KEY=VALUE or COMPONENT.KEY=VALUE: a setting that components are made with")(
      "seed", po::value<std::int64_t>(&seed)->default_value(seed), "what components are given")(
      "time-limit", po::value<std::int64_t>(&limit)->default_value(limit), "seconds for a check")(
      "json", po::bool_switch(), "for programs");
  options.positional("file", 1);
  if (!options.parse(arguments)) return 0;
  request.file = options.text("file");
  if (request.file.empty())
    throw Failure("C0903", Exit::configuration,
                  "error[C0903]: mortise plugin validate needs a FILE");
  request.checker = Installation::of_this_process().plugin_checker();
  request.sets = options.texts("set");
  request.seed = std::uint64_t(seed);
  request.limit = std::chrono::seconds(limit);
  const Validation validation = validate_plugin(request, host_identity());
  std::cout << (options.has("json") ? validation_json(validation) : validation_text(validation));
  return validation.passed() ? 0 : int(Exit::plugin);
}

}  // namespace mortise::host
