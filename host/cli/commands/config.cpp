#include <iostream>

#include "host/cli/options.hpp"
#include "host/cli/session.hpp"
#include "host/config/editor_schema.hpp"
#include "host/config/run_schema.hpp"
#include "host/failure.hpp"
#include "host/loading/plugin_report.hpp"
#include "host/loading/report/settings_table.hpp"

namespace mortise::host {
namespace {

namespace po = boost::program_options;

constexpr const char* kUsage = R"(usage: mortise config show FILE
       mortise config schema
       mortise config docs

show    the whole configuration of a run with the origin of every value
schema  JSON Schema of run files, for editors
docs    every key of a run file and every setting of the plugins that are found, as Markdown

examples:
  mortise config show run.yaml --set batch.sequences=64
  mortise config schema > mortise.schema.json)";

constexpr const char* kReferenceHead = R"(# Reference

Every key of a run file and every setting of every component. `mortise config docs` writes this page
from the host's schema and the notes of the plugins: do not edit it.
`[]` stands for each element of a list, `NAME` for a name of your own.
)";

std::string table_of(const char* schema) { return schema_table(Json::parse(schema)); }

std::string reference(const PluginCatalog& plugins) {
  return std::string(kReferenceHead) + "\n## Sections of a run file\n\n" +
         table_of(run_schema_text()) + "\n## Sections of site.yaml\n\n" +
         table_of(site_schema_text()) + reference_text(plugins);
}

int show(const Options& options) {
  if (!options.has("file"))
    throw Failure("C0903", Exit::configuration,
                  "error[C0903]: mortise config show: which file? see mortise config --help");
  const Session session(options.texts("plugin"),
                        request_for(options.text("file"), options.texts("set")));
  std::cout << session.load().resolved_yaml;
  return 0;
}

}  // namespace

int config_command(const Arguments& arguments) {
  Options options("mortise config", kUsage);
  options.visible().add_options()("what", po::value<std::string>(), "show, schema or docs")(
      "file", po::value<std::string>(), "the run file, for show")(
      "set", po::value<std::vector<std::string>>()->composing(),
      "PATH=VALUE: a setting, over the file's")(
      "plugin", po::value<std::vector<std::string>>()->composing(), "a plugin file");
  options.positional("what", 1);
  options.positional("file", 1);
  if (!options.parse(arguments)) return 0;
  const std::string what = options.text("what");
  if (what == "show") return show(options);
  if (what != "schema" && what != "docs")
    throw Failure("C0904", Exit::configuration,
                  "error[C0904]: mortise config" + (what.empty() ? "" : " " + what) +
                      ": expected show FILE, schema or docs");
  const Session session(options.texts("plugin"));
  session.require_named_plugins();
  if (what == "docs")
    std::cout << reference(session.plugins());
  else
    std::cout << editor_schema(session.catalog()).dump(2) << "\n";
  return 0;
}

}  // namespace mortise::host
