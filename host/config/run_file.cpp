#include "host/config/run_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "host/config/checking/checker.hpp"
#include "host/config/checking/default_lookup.hpp"
#include "host/config/checking/suggestion.hpp"
#include "host/config/composition/interpolation.hpp"
#include "host/config/composition/layers.hpp"
#include "host/config/run_schema.hpp"

namespace mortise::host {
namespace {

// A catalog for sections without components.
class NoComponents final : public Catalog {
 public:
  std::vector<Offer> find(const std::string&, const std::string&) const override { return {}; }
  std::vector<std::string> keys(const std::string&) const override { return {}; }
};

// `shuffle: true` asks for the order that defaults.yaml names.
void restore_default_order(Node& root, const Node& defaults) {
  Node* data = root.find("data");
  Node* shuffle = data == nullptr ? nullptr : data->find("shuffle");
  const Node* order = find_path(defaults, "data.shuffle");
  const bool asked = shuffle && shuffle->is_scalar() && !shuffle->quoted && shuffle->text == "true";
  if (asked && order != nullptr && !order->is_null()) *shuffle = *order;
}

void append_checked(Checker& checker, Findings& findings) {
  findings.append(checker.take_findings());
}

// The operator's file holds sections of its own and never settings of a run.
Setting check_site(const Node& site, Findings& findings) {
  Node own = site;
  for (const Member& member : site.members) {
    if (!run_schema().at("properties").contains(member.key)) continue;
    findings.add(finding::site_section, member.place, member.key,
                 "site.yaml holds only folders and policy; settings of a run do not "
                 "belong there");
  }
  std::erase_if(own.members, [](const Member& member) {
    return run_schema().at("properties").contains(member.key);
  });
  interpolate(own, DefaultLookup(), findings);
  const NoComponents none;
  Checker checker(none);
  Setting setting = checker.check(site_schema(), own, "site.yaml");
  append_checked(checker, findings);
  return setting;
}

void refuse_site_sections(Node& root, Findings& findings) {
  const auto is_site = [](const Member& member) {
    return site_schema().at("properties").contains(member.key);
  };
  for (const Member& member : root.members) {
    if (is_site(member))
      findings.add(finding::site_section, member.place, member.key,
                   "belongs in the operator's site.yaml");
  }
  std::erase_if(root.members, is_site);
}

// Adds a finding about a value that somebody wrote.
void add_at(Findings& findings, const Node& node, const char* id, const std::string& path,
            const std::string& text) {
  const Node* written = find_path(node, path);
  findings.add(id, written ? written->place : Place{}, path, text);
}

// What an amount may be is not the same everywhere.
void check_amounts(const Setting& root, Findings& findings, const Node& node) {
  const auto unit_at = [&](const char* path) -> std::optional<Amount::Unit> {
    const Setting* s = find_path(root, path);
    if (s == nullptr || !std::holds_alternative<Amount>(s->value)) return std::nullopt;
    return s->as_amount().unit;
  };
  if (const auto unit = unit_at("eval.hold_out"); unit && *unit != Amount::Unit::percent)
    add_at(findings, node, finding::wrong_type, "eval.hold_out", "expected a percentage, as in 5%");
  for (const char* path : {"eval.every", "log.every", "checkpoint.keep_every"})
    if (unit_at(path) == Amount::Unit::seconds)
      add_at(findings, node, finding::wrong_type, path,
             "expected steps, a percentage, tokens or epochs; a time is for checkpoint.every only");
}

// Metrics that decide something must be those of an evaluation that the run makes.
void check_metrics(const Setting& root, Findings& findings, const Node& node) {
  std::vector<std::string> names;
  const Setting* hold_out = find_path(root, "eval.hold_out");
  if (hold_out != nullptr && hold_out->is_set()) names.push_back("eval/held_out/loss");
  if (const Setting* sets = find_path(root, "eval.sets"); sets != nullptr && sets->is_map())
    for (const Entry& set : sets->as_map()) names.push_back("eval/" + set.key + "/loss");
  for (const char* path : {"run.early_stop.metric", "checkpoint.best.metric"}) {
    const Setting* metric = find_path(root, path);
    if (metric == nullptr || !metric->is_text()) continue;
    if (std::find(names.begin(), names.end(), metric->as_text()) != names.end()) continue;
    const std::string near = nearest(metric->as_text(), names);
    add_at(findings, node, finding::not_a_choice, path,
           "`" + metric->as_text() + "` is no evaluation of this run" +
               (names.empty()  ? "; name sets under eval.sets, or give eval.hold_out"
                : near.empty() ? "; there is " + names.front()
                               : "; did you mean " + near + "?"));
  }
}

// A micro-batch is part of a step.
void check_batch(const Setting& root, Findings& findings, const Node& node) {
  const auto count_at = [&](const char* path) {
    const Setting* s = find_path(root, path);
    const auto* count = s == nullptr ? nullptr : std::get_if<std::int64_t>(&s->value);
    return count == nullptr ? 0 : *count;
  };
  const std::int64_t length = count_at("batch.sequence_length");
  const std::int64_t sequences = length > 0 && count_at("batch.tokens") > 0
                                     ? count_at("batch.tokens") / length
                                     : count_at("batch.sequences");
  const std::int64_t micro_batch = count_at("batch.micro_batch");
  if (sequences > 0 && micro_batch > sequences)
    add_at(findings, node, finding::micro_batch, "batch.micro_batch",
           std::to_string(micro_batch) + " sequences are more than a step has (" +
               std::to_string(sequences) + ")");
}

std::vector<std::string> texts(const Setting& section, const char* key) {
  std::vector<std::string> out;
  const Setting* list = section.find(key);
  if (list == nullptr || !list->is_list()) return out;
  for (const Setting& item : list->as_list()) {
    if (item.is_text()) out.push_back(item.as_text());
  }
  return out;
}

}  // namespace

RunFile load_run_file(const LoadRequest& request, const Catalog& catalog) {
  Sources sources;
  Findings findings;
  Composed composed = compose(request, sources, findings);
  Node& root = composed.root;
  restore_default_order(root, composed.defaults);
  refuse_site_sections(root, findings);
  RunFile run;
  run.site = check_site(composed.site, findings);
  interpolate(
      root, [&](const std::string& path) { return schema_default(root, catalog, path); }, findings);
  Checker checker(catalog);
  run.root = checker.check(run_schema(), root, "the run file");
  append_checked(checker, findings);
  check_amounts(run.root, findings, root);
  check_metrics(run.root, findings, root);
  check_batch(run.root, findings, root);
  findings.throw_if_any();
  run.resolved_yaml = write_resolved(run.root);
  return run;
}

PluginSection read_plugin_section(const LoadRequest& request) {
  Sources sources;
  Findings findings;
  Composed composed = compose(request, sources, findings);
  Node section = make_map(composed.root.place);
  if (const Member* plugins = composed.root.find_member("plugins"))
    section.members.push_back(*plugins);
  interpolate(section, composed.root, "", findings);
  nlohmann::json schema = {{"type", "object"}, {"properties", nlohmann::json::object()}};
  schema["properties"]["plugins"] = run_schema().at("properties").at("plugins");
  const NoComponents none;
  Checker checker(none);
  const Setting checked = checker.check(schema, section, "plugins");
  append_checked(checker, findings);
  PluginSection out;
  out.site = check_site(composed.site, findings);
  findings.throw_if_any();
  const Setting& plugins = checked.at("plugins");
  out.folders = texts(plugins, "folders");
  out.files = texts(plugins, "files");
  if (const Setting* policy = plugins.find("policy")) out.policy = policy->as_text();
  return out;
}

}  // namespace mortise::host
