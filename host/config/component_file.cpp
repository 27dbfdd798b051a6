#include "host/config/component_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "host/config/checking/checker.hpp"
#include "host/config/checking/default_lookup.hpp"
#include "host/config/checking/suggestion.hpp"
#include "host/config/composition/interpolation.hpp"
#include "host/config/composition/layers.hpp"
#include "host/config/run_schema.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// All that the host knows of files of components: which of them reads a file.
struct KnownFile {
  const char* interface_id;
  const char* ending;
  const char* use;
  const char* setting;  // that takes the path
};
constexpr KnownFile kFiles[] = {{"mortise/tokenizer/1", ".json", "huggingface", "file"},
                                {"mortise/tokenizer/1", ".model", "sentencepiece", "file"},
                                {"mortise/tokenizer/1", ".tiktoken", "tiktoken", "file"}};

// And what in a folder says so, in the order in which it is looked for. Without `use` the file
// counts as if it had been given itself.
struct KnownFolder {
  const char* interface_id;
  const char* holds;
  const char* use;
  const char* setting;
};
constexpr KnownFolder kFolders[] = {
    {"mortise/tokenizer/1", "tokenizer.json", "huggingface", "folder"},
    {"mortise/tokenizer/1", "tokenizer.model", nullptr, nullptr}};

constexpr const char* kRunConfig = "config.yaml";  // of a run folder

bool is_settings_file(const fs::path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml";
}

bool asks_for(const Json& field, const char* interface_id) {
  const std::vector<std::string> ids = interface_ids(field);
  return std::find(ids.begin(), ids.end(), interface_id) != ids.end();
}

const KnownFile* known_file(const Json& field, const fs::path& file) {
  for (const KnownFile& known : kFiles)
    if (file.extension() == known.ending && asks_for(field, known.interface_id)) return &known;
  return nullptr;
}

// The section of a run file that holds one such component; "": there is none.
std::string section_for(const Json& field) {
  for (const auto& [name, section] : run_schema().at("properties").items())
    if (section.contains("component") && section["component"].is_string() &&
        asks_for(field, section["component"].get<std::string>().c_str()))
      return name;
  return "";
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

bool ComponentFiles::is_path(const Json& field, const std::string& text) const {
  const std::string section = section_for(field);
  if (text.empty() || section.empty()) return false;
  for (const std::string& id : interface_ids(field))
    if (!catalog_.find(id, text.substr(text.rfind(':') + 1)).empty()) return false;
  return text.find('/') != std::string::npos || is_settings_file(text) ||
         known_file(field, text) != nullptr || is_there(text);
}

Node ComponentFiles::read(const Json& field, const Node& path, const std::string& option) {
  const Asked asked{field, path, option};
  std::error_code error;
  const fs::file_status status = fs::status(path.text, error);
  if (status.type() == fs::file_type::not_found)
    return refuse(finding::unreadable, asked, "there is no such file or folder");
  if (!fs::exists(status)) return refuse(finding::unreadable, asked, error.message());
  return fs::is_directory(status) ? read_folder(asked) : read_file(asked, path.text);
}

Node ComponentFiles::read_file(const Asked& asked, const std::string& file) {
  if (is_settings_file(file)) return read_run(asked, file);
  if (const KnownFile* known = known_file(asked.field, file))
    return component(asked, known->use, known->setting, file);
  return refuse(finding::wrong_type, asked, "its ending does not say what it is");
}

Node ComponentFiles::read_folder(const Asked& asked) {
  const fs::path folder = asked.path.text;
  for (const KnownFolder& known : kFolders) {
    if (!asks_for(asked.field, known.interface_id) || !is_there(folder / known.holds)) continue;
    if (known.use == nullptr) return read_file(asked, (folder / known.holds).string());
    return component(asked, known.use, known.setting, folder.string());
  }
  if (is_there(folder / kRunConfig)) return read_run(asked, (folder / kRunConfig).string());
  return refuse(finding::wrong_type, asked, "the folder holds nothing that says what it is");
}

Node ComponentFiles::read_run(const Asked& asked, const std::string& file) {
  LoadRequest request = installation_;
  request.file = file;
  const std::string section = section_for(asked.field);
  const Composed run = compose(request, sources_, findings_);
  const Node* found = run.root.find(section);
  if (found == nullptr || found->is_null())
    return refuse(finding::missing, asked, "has no section " + section);
  Node node = *found;
  interpolate(node, run.root, section, findings_,
              [&](const std::string& path) { return schema_default(run.root, catalog_, path); });
  return node;
}

Node ComponentFiles::component(const Asked& asked, const std::string& use,
                               const std::string& setting, const std::string& value) {
  const Place& place = asked.path.place;
  Node node = make_map(place);
  node.members.push_back({"use", place, make_scalar(use, place)});
  node.members.push_back({setting, place, make_scalar(value, place, true)});
  for (const std::string& id : interface_ids(asked.field))
    for (const Catalog::Offer& offer : catalog_.find(id, use))
      refuse_if_more_is_needed(asked, offer, setting, node);
  return node;
}

void ComponentFiles::refuse_if_more_is_needed(const Asked& asked, const Catalog::Offer& offer,
                                              const std::string& setting, Node& node) {
  for (const auto& [name, field] : properties_of(offer.settings).items()) {
    if (!field.value("required", false) || name == setting) continue;
    findings_.add(finding::missing, node.place, name,
                  "no file says it, and " + offer.key + " needs it (" + text_of(field, "doc") +
                      "): write " + asked.option + " '{use: " + offer.key + ", " + setting +
                      ": \"" + one_line(node.find(setting)->text) + "\", " + name + ": …}'");
    node.faulty = true;
  }
}

// "a name (byte, …), a file (.json, …), …"
std::string ComponentFiles::expected(const Json& field) const {
  std::vector<std::string> names, endings, contents;
  for (const std::string& id : interface_ids(field))
    for (std::string& key : catalog_.keys(id)) names.push_back(std::move(key));
  for (const KnownFile& known : kFiles)
    if (asks_for(field, known.interface_id)) endings.emplace_back(known.ending);
  for (const KnownFolder& known : kFolders)
    if (asks_for(field, known.interface_id)) contents.emplace_back(known.holds);
  std::string text = describe_field(field) + ": a name (" + list_of(names) + ")";
  if (!endings.empty()) text += ", a file (" + list_of(endings) + ")";
  if (!contents.empty()) text += ", a folder with one of " + list_of(contents);
  return text + ", a run file (.yaml, .yml), a run folder, or {use: NAME, …}";
}

Node ComponentFiles::refuse(const char* id, const Asked& asked, const std::string& text) {
  Node faulty = make_scalar("", asked.path.place);
  faulty.faulty = true;
  findings_.add(id, asked.path.place, "",
                shown(asked.path) + ": " + text + "; expected " + expected(asked.field));
  return faulty;
}

}  // namespace mortise::host
