// `mortise plugin why`

#include <algorithm>

#include "host/loading/plugin_report.hpp"
#include "host/loading/report/component_name.hpp"
#include "host/loading/report/report_json.hpp"

namespace mortise::host {
namespace {

struct Reason {
  std::string verdict;  // "taken", "ambiguous", "refused", "passed over", "not this name"
  std::string text;
};

struct Row {
  const Candidate* candidate;
  Reason reason;
};

const Judgement* judgement_of(const PluginCatalog& catalog, const Candidate& candidate) {
  for (const CatalogEntry& entry : catalog.entries())
    if (entry.candidate.file == candidate.file) return &entry.judgement;
  return nullptr;
}

std::string offered_under(const Manifest& manifest, const ComponentName& name) {
  std::string text;
  for (const ManifestComponent& component : manifest.components)
    if (name.matches(manifest, component))
      text += (text.empty() ? "" : ", ") + component.key + " (" +
              interface_kind(component.interfaces.front()) + ")";
  return manifest.id + " " + manifest.version + " offers " + (text.empty() ? "nothing" : text);
}

std::string all_findings(const Judgement& judgement) {
  std::string text;
  for (const PluginFinding& finding : judgement.findings)
    text += (text.empty() ? "" : "; ") + in_one_line(finding);
  return text;
}

Reason reason_for(const PluginCatalog& catalog, const Candidate& candidate,
                  const ComponentName& name) {
  if (!candidate.passed_over.empty()) return {"passed over", candidate.passed_over};
  const Judgement* judgement = judgement_of(catalog, candidate);
  if (judgement == nullptr) return {"passed over", "not judged"};
  if (!judgement->manifest) return {"refused", all_findings(*judgement)};
  const Manifest& manifest = *judgement->manifest;
  if (!name.matches(manifest))
    return {"not this name", manifest.id + " " + manifest.version + " offers no such component"};
  if (!judgement->accepted()) return {"refused", all_findings(*judgement)};
  return {"taken", offered_under(manifest, name)};
}

// Whether two of the rows that are taken offer one key under one interface.
bool is_ambiguous(const PluginCatalog& catalog, const std::vector<Row>& rows,
                  const ComponentName& name) {
  for (const Row& row : rows) {
    if (row.reason.verdict != "taken") continue;
    for (const ManifestComponent& c : judgement_of(catalog, *row.candidate)->manifest->components)
      if (name.matches(*judgement_of(catalog, *row.candidate)->manifest, c) &&
          catalog.find(c.interfaces.front(), c.key).size() > 1)
        return true;
  }
  return false;
}

std::vector<Row> rows_of(const PluginCatalog& catalog, const ComponentName& name,
                         bool is_qualified) {
  std::vector<Row> rows;
  for (const Candidate& candidate : catalog.candidates())
    rows.push_back({&candidate, reason_for(catalog, candidate, name)});
  if (!is_qualified && is_ambiguous(catalog, rows, name))
    for (Row& row : rows)
      if (row.reason.verdict == "taken")
        row.reason = {"ambiguous", row.reason.text + ", and so does another: write ID:KEY (P1020)"};
  return rows;
}

std::string place_remark(const SearchPlace& place) {
  std::error_code error;
  if (!place.passed_over.empty()) return "  " + place.passed_over;
  return std::filesystem::exists(place.path, error) ? "" : "  does not exist";
}

std::string conclusion(const std::vector<Row>& rows, const std::string& name) {
  const auto has = [&](const char* verdict) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const Row& row) { return row.reason.verdict == verdict; });
  };
  if (has("ambiguous")) return "`" + name + "` is ambiguous";
  if (has("taken")) return "`" + name + "` is found";
  return "`" + name + "` is not offered by any plugin";
}

}  // namespace

std::string why_text(const PluginCatalog& catalog, const std::string& name) {
  const ComponentName wanted(name);
  const std::vector<Row> rows = rows_of(catalog, wanted, name.find(':') != std::string::npos);
  std::string text = conclusion(rows, name) + "\nplaces, in order:\n";
  std::size_t number = 0;
  for (const SearchPlace& place : catalog.places())
    text += "  " + std::to_string(++number) + ". " + place.path.string() + " (" + place.origin +
            ")" + place_remark(place) + "\n";
  text += "candidates:\n";
  for (const Row& row : rows)
    text += "  " + row.candidate->file.string() + ": " + row.reason.verdict + ": " +
            row.reason.text + "\n";
  return rows.empty() ? text + "  none\n" : text;
}

std::string why_json(const PluginCatalog& catalog, const std::string& name) {
  const ComponentName wanted(name);
  const std::vector<Row> rows = rows_of(catalog, wanted, name.find(':') != std::string::npos);
  Json places = Json::array(), candidates = Json::array();
  for (const SearchPlace& place : catalog.places())
    places.push_back({{"path", place.path.string()},
                      {"origin", place.origin},
                      {"passed_over", place.passed_over}});
  for (const Row& row : rows)
    candidates.push_back({{"file", row.candidate->file.string()},
                          {"origin", row.candidate->origin},
                          {"verdict", row.reason.verdict},
                          {"reason", row.reason.text}});
  return printed(Json{{"name", name},
                      {"conclusion", conclusion(rows, name)},
                      {"places", std::move(places)},
                      {"candidates", std::move(candidates)}});
}

}  // namespace mortise::host
