// `mortise plugin inspect`

#include <map>
#include <set>

#include "host/loading/plugin_report.hpp"
#include "host/loading/report/component_name.hpp"
#include "host/loading/report/report_json.hpp"

namespace mortise::host {
namespace {

constexpr std::size_t kLabelWidth = 14;

void add_line(std::string& text, std::string label, const std::string& value) {
  label.resize(kLabelWidth, ' ');
  text += "  " + label + value + "\n";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

void add_manifest(const Manifest& manifest, std::string& text) {
  add_line(text, "plugin", manifest.id + " " + manifest.version);
  if (!manifest.license.empty()) add_line(text, "license", manifest.license);
  add_line(text, "built with", manifest.compiler + ", SDK " + manifest.sdk);
  add_line(text, "LibTorch",
           manifest.torch.empty() ? "not used"
                                  : manifest.torch + ", accelerator " + manifest.accelerator);
}

std::vector<std::string> versions_of(const ElfFile& elf) {
  std::set<std::string> versions;
  for (const VersionNeed& need : elf.version_needs)
    versions.insert(need.version + " (" + need.library + ")");
  return {versions.begin(), versions.end()};
}

void add_file(const ElfFile& elf, std::string& text) {
  add_line(text, "needs", joined(elf.needed));
  add_line(text, "versions", joined(versions_of(elf)));
  add_line(text, "RUNPATH", joined(elf.runpath));
  add_line(text, "symbols",
           with_commas(elf.exports.size()) + " exported, " + with_commas(elf.undefined.size()) +
               " expected of others");
  add_line(text, "at load",
           with_commas(elf.constructors) + " constructors, " + with_commas(elf.tls_bytes) +
               " bytes of thread-local memory");
}

void add_components(const Manifest& manifest, std::string& text) {
  for (const ManifestComponent& component : manifest.components) {
    std::vector<std::string> kinds;
    for (const std::string& id : component.interfaces) kinds.push_back(interface_kind(id));
    add_line(text, "component", component.key + " (" + joined(kinds) + "): " + component.doc);
  }
}

Json file_json(const ElfFile& elf) {
  Json needs = Json::array();
  for (const VersionNeed& need : elf.version_needs)
    needs.push_back({{"library", need.library}, {"version", need.version}});
  Json exports = Json::array();
  for (const ElfSymbol& symbol : elf.exports) exports.push_back(symbol.name);
  return {{"needed", elf.needed},
          {"runpath", elf.runpath},
          {"soname", elf.soname},
          {"version_needs", std::move(needs)},
          {"exports", std::move(exports)},
          {"undefined", elf.undefined.size()},
          {"constructors", elf.constructors},
          {"tls_bytes", elf.tls_bytes},
          {"executable_stack", elf.executable_stack},
          {"text_relocations", elf.text_relocations}};
}

}  // namespace

std::string inspect_text(const Judgement& judgement) {
  std::string text = judgement.file.string() + "\n";
  add_line(text, "judgement", judgement.accepted() ? "accepted" : "refused");
  if (judgement.manifest) add_manifest(*judgement.manifest, text);
  if (judgement.elf) add_file(*judgement.elf, text);
  if (judgement.manifest) add_components(*judgement.manifest, text);
  if (judgement.findings.empty()) return text;
  return text + describe(judgement.file, judgement.findings) + "\n";
}

std::string inspect_json(const Judgement& judgement) {
  Json json = judgement_json(judgement);
  if (judgement.elf) json["library"] = file_json(*judgement.elf);
  return printed(json);
}

}  // namespace mortise::host
