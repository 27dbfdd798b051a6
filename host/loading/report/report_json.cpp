#include "host/loading/report/report_json.hpp"

namespace mortise::host {
namespace {

void add_manifest(const Manifest& manifest, Json& json) {
  json["id"] = manifest.id;
  json["version"] = manifest.version;
  json["sdk"] = manifest.sdk;
  json["torch"] = manifest.torch.empty() ? Json() : Json(manifest.torch);
  json["accelerator"] = manifest.accelerator;
  json["compiler"] = manifest.compiler;
  json["license"] = manifest.license;
  json["tables"] = manifest.tables;
  Json components = Json::array();
  for (const ManifestComponent& component : manifest.components)
    components.push_back({{"key", component.key},
                          {"interfaces", component.interfaces},
                          {"doc", component.doc},
                          {"settings", Json::parse(component.settings)}});
  json["components"] = std::move(components);
}

}  // namespace

Json findings_json(const std::vector<PluginFinding>& findings) {
  Json all = Json::array();
  for (const PluginFinding& finding : findings)
    all.push_back({{"id", finding.id},
                   {"warning", finding.weight == PluginFinding::Weight::warning},
                   {"what", finding.what},
                   {"expected", finding.expected},
                   {"got", finding.got},
                   {"do", finding.advice}});
  return all;
}

Json judgement_json(const Judgement& judgement) {
  Json json;
  json["file"] = judgement.file.string();
  json["accepted"] = judgement.accepted();
  if (judgement.manifest) add_manifest(*judgement.manifest, json);
  json["findings"] = findings_json(judgement.findings);
  return json;
}

std::string printed(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mortise::host
