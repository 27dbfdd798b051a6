#include <iostream>
#include <mortise/run/command.hpp>
#include <nlohmann/json.hpp>

#include "host/cli/inference_service.hpp"
#include "host/cli/metrics_service.hpp"
#include "host/cli/options.hpp"
#include "host/cli/session.hpp"
#include "host/failure.hpp"
#include "host/wiring/failure_of_error.hpp"
#include "host/wiring/wiring.hpp"

namespace mortise::host {
namespace {

namespace po = boost::program_options;

// Plugins of --plugin stand before the command is known.
std::vector<std::string> take_plugin_files(Arguments& arguments) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i + 1 < arguments.size();) {
    if (arguments[i] != "--plugin") {
      ++i;
      continue;
    }
    files.push_back(arguments[i + 1]);
    arguments.erase(arguments.begin() + std::ptrdiff_t(i),
                    arguments.begin() + std::ptrdiff_t(i) + 2);
  }
  return files;
}

std::string spaced(std::string key) {
  for (char& c : key)
    if (c == '.') c = ' ';
  return key;
}

// `data pack x` -> key data.pack and how many words it took.
std::pair<Catalog::Offer, std::size_t> find_command(const Session& session,
                                                    const Arguments& arguments) {
  std::string key;
  std::optional<std::pair<Catalog::Offer, std::size_t>> found;
  for (std::size_t n = 0; n != arguments.size() && n < 3 && arguments[n][0] != '-'; ++n) {
    key += (n == 0 ? "" : ".") + arguments[n];
    if (const auto offers = session.catalog().find(Remote<Command>::id, key); !offers.empty())
      found = {offers.front(), n + 1};
  }
  if (found) return *found;
  std::string known;
  for (const std::string& k : session.catalog().keys(Remote<Command>::id))
    known += (known.empty() ? "" : ", ") + spaced(k);
  throw Failure("C0904", Exit::configuration,
                "error[C0904]: mortise has no command " + arguments[0] +
                    "; it has run, check, config, replay, plugin, and from plugins: " + known);
}

std::string with_dashes(std::string name) {
  for (char& c : name)
    if (c == '_') c = '-';
  return name;
}

// " RUN" for each setting that stands without an option.
std::string positional_words(const nlohmann::json& schema) {
  std::string words;
  for (const auto& [name, field] : schema.at("properties").items()) {
    if (!field.value("positional", false)) continue;
    words += " " + with_dashes(name) + (field.value("type", "") == "array" ? "…" : "");
  }
  for (char& c : words) c = char(std::toupper(static_cast<unsigned char>(c)));
  return words;
}

void add_options(Options& options, const nlohmann::json& schema) {
  for (const auto& [name, field] : schema.at("properties").items()) {
    std::string shown = with_dashes(name);
    if (field.contains("short")) shown += "," + field["short"].get<std::string>();
    auto* value = po::value<std::vector<std::string>>()->composing();
    if (field.value("type", "") == "boolean") value->implicit_value({""}, "");
    std::string doc = field.value("doc", "");
    if (field.contains("default"))
      doc += " (default " +
             (field["default"].is_string() ? field["default"].get<std::string>()
                                           : field["default"].dump()) +
             ")";
    options.visible().add_options()(shown.c_str(), value, doc.c_str());
    if (field.value("positional", false))
      options.positional(with_dashes(name), field.value("type", "") == "array" ? -1 : 1);
  }
}

std::vector<NamedText> given_options(const Options& options, const nlohmann::json& schema) {
  std::vector<NamedText> all;
  for (const auto& [name, field] : schema.at("properties").items()) {
    const std::string shown = with_dashes(name);
    if (!options.has(shown)) continue;
    for (const std::string& text : options.texts(shown)) all.push_back({name, text, "--" + shown});
  }
  return all;
}

Setting command_node(const Catalog::Offer& offer, const Setting& settings) {
  Setting node;
  node.value =
      ComponentNode{Remote<Command>::id, offer.key, offer.plugin, settings.as_map(), {}, "", false};
  return node;
}

}  // namespace

int component_command(const Arguments& arguments) {
  Arguments words = arguments;
  const std::vector<std::string> files = take_plugin_files(words);
  const Session session(files);
  session.require_named_plugins();
  const auto [offer, used] = find_command(session, words);
  const std::string command = "mortise " + spaced(offer.key);
  const ComponentOffer full = session.plugins().require(Remote<Command>::id, offer.key);
  Options options(command, "usage: " + command + positional_words(offer.settings) +
                               " [options]\n\n" + full.doc);
  add_options(options, offer.settings);
  if (!options.parse(Arguments(words.begin() + std::ptrdiff_t(used), words.end()))) return 0;
  Setting settings = check_settings(offer.settings, given_options(options, offer.settings),
                                    session.catalog(), command, request_for("", {}));

  RunLog log(0, 1);
  LogService log_service(log);
  MetricsService metrics;
  InferenceService inference(files);
  Services services;
  services.offer<Logger>(log_service);
  services.offer<Metrics>(metrics);
  services.offer<Inference>(inference);
  const Setting node = command_node(offer, settings);
  load_plugins(node, session.plugins());
  Wiring wiring(settings, session.plugins(), services);
  try {
    return int(Remote<Command>(wiring.make(node, "command").object(Remote<Command>::id)).run());
  } catch (const Error& e) {
    if (inference.failed() && inference.failed()->what() == std::string(e.what()))
      throw *inference.failed();
    throw failure_of(e, command);
  }
}

}  // namespace mortise::host
