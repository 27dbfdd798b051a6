#include <iostream>

#include "host/cli/options.hpp"
#include "host/cli/session.hpp"
#include "host/failure.hpp"
#include "host/loading/plugin_report.hpp"
#include "host/wiring/host_tables.hpp"

namespace mortise::host {
namespace {

namespace po = boost::program_options;

constexpr const char* kUsage = R"(usage: mortise plugin list
       mortise plugin inspect FILE|ID
       mortise plugin docs [NAME]
       mortise plugin why NAME
       mortise plugin new --kind KIND NAME [--folder DIR]
       mortise plugin build [DIR]
       mortise plugin validate FILE

Only `validate` runs a plugin's code, in processes of its own.

examples:
  mortise plugin list
  mortise plugin docs llama
  mortise plugin inspect ./my_optimizer.so)";

int inspect(const Session& session, const std::string& name, bool json) {
  const bool is_file = name.find('/') != std::string::npos || std::filesystem::exists(name);
  const Judgement judgement =
      is_file ? judge(name, host_identity()) : entry_named(session.plugins(), name).judgement;
  std::cout << (json ? inspect_json(judgement) : inspect_text(judgement));
  return judgement.accepted() ? 0 : int(Exit::plugin);
}

}  // namespace

int plugin_command(const Arguments& arguments) {
  if (!arguments.empty()) {
    const Arguments rest(arguments.begin() + 1, arguments.end());
    if (arguments[0] == "new") return plugin_new_command(rest);
    if (arguments[0] == "build") return plugin_build_command(rest);
    if (arguments[0] == "validate") return plugin_validate_command(rest);
  }
  Options options("mortise plugin", kUsage);
  options.visible().add_options()("what", po::value<std::string>(),
                                  "list, inspect, docs, why, new, build or validate")(
      "name", po::value<std::string>(), "a plugin's file or id, or a component's name")(
      "plugin", po::value<std::vector<std::string>>()->composing(), "a plugin file")(
      "json", po::bool_switch(), "for programs");
  options.positional("what", 1);
  options.positional("name", 1);
  if (!options.parse(arguments)) return 0;
  const std::string what = options.text("what"), name = options.text("name");
  const bool json = options.has("json");
  const auto print = [](const std::string& text) {
    std::cout << text << (text.empty() || text.back() == '\n' ? "" : "\n");
    return 0;
  };
  const Session session(options.texts("plugin"));
  if (what == "list")
    return print(json ? list_json(session.plugins()) : list_text(session.plugins()));
  if (what == "docs")
    return print(json ? docs_json(session.plugins(), name) : docs_text(session.plugins(), name));
  if (what == "inspect" && !name.empty()) return inspect(session, name, json);
  if (what == "why" && !name.empty())
    return print(json ? why_json(session.plugins(), name) : why_text(session.plugins(), name));
  throw Failure("C0904", Exit::configuration,
                "error[C0904]: mortise plugin " + what +
                    ": expected list, inspect FILE|ID, docs [NAME], why NAME, new, build or "
                    "validate FILE");
}

}  // namespace mortise::host
