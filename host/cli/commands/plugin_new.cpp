#include <iostream>

#include "host/authoring/new_plugin.hpp"
#include "host/cli/command_line.hpp"
#include "host/cli/installation.hpp"
#include "host/cli/options.hpp"

namespace mortise::host {

namespace po = boost::program_options;

int plugin_new_command(const Arguments& arguments) {
  const Installation here = Installation::of_this_process();
  const PluginTemplates templates{here.templates(), here.license()};
  Options options("mortise plugin new", R"(usage: mortise plugin new --kind KIND NAME [--folder DIR]

Writes a project: source, test, run file, CMakeLists.txt.

example:
  mortise plugin new --kind optimizer my_optimizer
  mortise plugin build my_optimizer)");
  options.visible().add_options()("kind", po::value<std::string>(),
                                  "tokenizer, dataset, model, optimizer, learning_rate_schedule, "
                                  "owner, layer_op, metric_sink or command")(
      "name", po::value<std::string>(), "of plugin, file and component: my_optimizer")(
      "folder", po::value<std::string>(), "where to write it; default: ./NAME");
  options.positional("name", 1);
  if (!options.parse(arguments)) return 0;
  const NewPlugin wish{options.text("kind"), options.text("name"), options.text("folder")};
  const std::filesystem::path folder = write_new_plugin(wish, templates);
  const std::string shown = folder.lexically_proximate(std::filesystem::current_path()).string();
  std::cout << folder.string() << ": the " << wish.kind << " " << wish.name << " is in "
            << wish.name << ".cpp\n  mortise plugin build " << shown << "\n  ctest --test-dir "
            << shown << "/build\n";
  return 0;
}

}  // namespace mortise::host
