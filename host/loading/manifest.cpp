#include "host/loading/manifest.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "host/loading/manifest/schema_check.hpp"

namespace mortise::host {
namespace {

constexpr std::size_t kLongestName = 128;

std::string name_in(const JsonPlace& place) {
  std::string name = place.text(kLongestName);
  if (!is_plugin_name(name)) place.refuse("is no name", "letters, digits, '.', '_' and '-'");
  return name;
}

std::string optional_text(const JsonPlace& manifest, const char* name, std::string otherwise) {
  if (!manifest.has(name)) return otherwise;
  const JsonPlace place = manifest.member(name);
  return place.value().is_string() && place.value().get<std::string>().empty() ? otherwise
                                                                               : place.text();
}

// "0.1" -> {0, 1}
void read_sdk(const JsonPlace& place, Manifest& manifest) {
  manifest.sdk = place.text(32);
  const char* end = manifest.sdk.data() + manifest.sdk.size();
  const auto major = std::from_chars(manifest.sdk.data(), end, manifest.sdk_major);
  const bool dot = major.ec == std::errc() && major.ptr != end && *major.ptr == '.';
  const auto minor = dot ? std::from_chars(major.ptr + 1, end, manifest.sdk_minor) : major;
  if (!dot || minor.ec != std::errc() || minor.ptr != end || manifest.sdk_major < 0 ||
      manifest.sdk_minor < 0)
    place.refuse("is no version of the SDK", "MAJOR.MINOR");
}

bool is_fingerprint(std::string_view text) {
  return text.size() % 8 == 0 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

void read_tables(const JsonPlace& tables, Manifest& manifest) {
  tables.require_object();
  for (const auto& table : tables.value().items()) {
    if (!is_interface_id(table.key()))
      tables.refuse("has a key `" + table.key() + "`", "interface ids like mortise/tokenizer/1");
    const Json& value = table.value();
    if (!value.is_string() || !is_fingerprint(value.get_ref<const std::string&>()))
      tables.member(table.key()).refuse("is no fingerprint", "8 lower-case digits for each slot");
    manifest.tables[table.key()] = value.get<std::string>();
  }
}

std::string interface_in(const JsonPlace& place, const Manifest& manifest) {
  std::string id = place.text(kLongestName);
  if (!is_interface_id(id)) place.refuse("is no interface id", "an id like mortise/tokenizer/1");
  if (manifest.tables.count(id) == 0)
    place.refuse("has no fingerprint", "its fingerprint among `tables`");
  return id;
}

ManifestComponent read_component(const JsonPlace& place, const Manifest& manifest) {
  ManifestComponent component;
  component.key = name_in(place.member("key"));
  const JsonPlace interfaces = place.member("interfaces").require_array();
  if (interfaces.value().empty()) interfaces.refuse("is empty", "at least one interface id");
  for (std::size_t i = 0; i < interfaces.value().size(); ++i)
    component.interfaces.push_back(interface_in(interfaces.element(i), manifest));
  component.doc = optional_text(place, "doc", "");
  component.settings = R"({"type":"object","properties":{}})";
  if (place.has("settings") && !place.member("settings").value().empty()) {
    check_schema(place.member("settings"));
    component.settings = place.member("settings").value().dump();
  }
  return component;
}

void read_components(const JsonPlace& components, Manifest& manifest) {
  components.require_array();
  std::set<std::string> offered;
  for (std::size_t i = 0; i < components.value().size(); ++i) {
    const JsonPlace place = components.element(i);
    ManifestComponent component = read_component(place, manifest);
    for (const std::string& interface_id : component.interfaces)
      if (!offered.insert(interface_id + " " + component.key).second)
        place.refuse("offers `" + component.key + "` of " + interface_id + " a second time",
                     "each key once");
    manifest.components.push_back(std::move(component));
  }
}

}  // namespace

Manifest parse_manifest(std::string_view text) {
  const Json json = parse_bounded(text);
  const JsonPlace root(json, "");
  root.require_object();
  Manifest manifest;
  manifest.id = name_in(root.member("id"));
  manifest.version = root.member("version").text(64);
  read_sdk(root.member("sdk"), manifest);
  manifest.torch = optional_text(root, "torch", "");
  manifest.accelerator = optional_text(root, "accelerator", "none");
  manifest.compiler = optional_text(root, "compiler", "");
  manifest.license = optional_text(root, "license", "");
  if (root.has("cxx11_abi")) {
    const JsonPlace flag = root.member("cxx11_abi");
    if (!flag.value().is_boolean()) flag.refuse("is neither true nor false", "true or false");
    manifest.cxx11_abi = flag.value().get<bool>();
  }
  read_tables(root.member("tables"), manifest);
  read_components(root.member("components"), manifest);
  return manifest;
}

std::string torch_series(const std::string& version) {
  const std::size_t dot = version.find('.');
  if (dot == std::string::npos) return version;
  const std::size_t end = version.find_first_not_of("0123456789", dot + 1);
  return version.substr(0, end);
}

bool is_plugin_name(std::string_view text) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && is_letter_or_digit(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

}  // namespace mortise::host
