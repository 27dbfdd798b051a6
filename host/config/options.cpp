// A command's options, checked like settings of a file.

#include <filesystem>

#include "host/config/checking/checker.hpp"
#include "host/config/component_file.hpp"
#include "host/config/document/document.hpp"
#include "host/config/run_file.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::json;

bool is_structured(const Json& field) {
  const std::string type = text_of(field, "type");
  return type == "map" || type == "object";
}

// Only a component with settings is YAML; a bare name or a path is taken as it is.
bool reads_yaml(const Json& field, const std::string& text) {
  return is_structured(field) || (field.contains("component") && text.starts_with("{"));
}

Node read_option(const Json& field, const NamedText& given, ComponentFiles& files, Sources& sources,
                 Findings& findings) {
  std::size_t offset = 0;
  const std::string fault = judge_text(given.text, offset);
  const Source& source =
      sources.add(Source(Source::Kind::option, given.shown, std::filesystem::current_path(),
                         fault.empty() ? given.text : ""));
  const Place whole{&source, 1, 1, count_characters(source.line(1))};
  Node faulty = make_scalar("", whole);
  faulty.faulty = true;
  if (!fault.empty())
    return findings.add(finding::encoding, whole, given.name, "the text " + fault), faulty;
  if (reads_yaml(field, given.text)) return read_document(source, findings).value_or(faulty);
  if (text_of(field, "type") == "boolean" && given.text.empty()) return make_scalar("true", whole);
  const Node text = make_scalar(given.text, whole);
  const bool is_path = field.contains("component") && files.is_path(field, given.text);
  return is_path ? files.read(field, text, given.shown) : text;
}

// The field of one occurrence of an option.
Json occurrence(const Json& field) {
  return text_of(field, "type") == "array" ? element_field(field) : field;
}

void add_option(Node& root, const Json& schema, const NamedText& given, ComponentFiles& files,
                Sources& sources, Findings& findings) {
  static const Json kText = Json::parse(R"({"type": "string"})");
  const Json& properties = properties_of(schema);
  const bool known = properties.contains(given.name);
  const Json& field = known ? properties.at(given.name) : kText;
  Node node = read_option(occurrence(field), given, files, sources, findings);
  const bool repeatable = text_of(field, "type") == "array";
  Member* earlier = root.find_member(given.name);
  if (earlier != nullptr && !repeatable) {
    findings.add(finding::duplicate_key, node.place, given.name, "is given twice");
  } else if (earlier != nullptr) {
    earlier->value.items.push_back(std::move(node));
  } else if (repeatable) {
    Node list;
    list.kind = Node::Kind::list;
    list.place = node.place;
    list.items.push_back(std::move(node));
    root.members.push_back({given.name, list.place, std::move(list)});
  } else {
    const Place place = node.place;
    root.members.push_back({given.name, place, std::move(node)});
  }
}

}  // namespace

Setting check_settings(const Json& schema, const std::vector<NamedText>& given,
                       const Catalog& catalog, const std::string& command,
                       const LoadRequest& installation) {
  Sources sources;
  Findings findings;
  ComponentFiles files(catalog, installation, sources, findings);
  Node root = make_map({});
  for (const NamedText& option : given) add_option(root, schema, option, files, sources, findings);
  Checker checker(catalog);
  Setting setting = checker.check(schema, root, command);
  findings.append(checker.take_findings());
  findings.throw_if_any();
  return setting;
}

}  // namespace mortise::host
