#include "host/validation/checker/subject.hpp"

#include <algorithm>

#include "host/config/checking/checker.hpp"
#include "host/validation/checker/stand_ins.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::json;

// KEY=VALUE and COMPONENT.KEY=VALUE that this component has.
std::vector<NamedText> sets_of(const std::string& component, const Json& schema,
                               const std::vector<std::string>& sets) {
  std::vector<NamedText> all;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');  // there is one: the program has looked
    std::string key = set.substr(0, equals);
    if (key.starts_with(component + ".")) key.erase(0, component.size() + 1);
    if (properties_of(schema).contains(key))
      all.push_back({key, set.substr(equals + 1), "--set " + set});
  }
  return all;
}

// The name of what stands in for a component that a setting takes; "" where there is nothing.
std::string stand_in_for(const Json& field) {
  if (!field.contains("component")) return "";
  const Json& ids = field["component"];
  return stand_in_name(ids.is_array() ? ids.at(0).get<std::string>() : ids.get<std::string>());
}

bool is_given(const std::vector<NamedText>& given, const std::string& name) {
  return std::any_of(given.begin(), given.end(), [&](const auto& g) { return g.name == name; });
}

// Components that it needs and nobody has named.
void add_stand_ins(const Json& schema, std::vector<NamedText>& given) {
  for (const auto& [name, field] : properties_of(schema).items()) {
    const bool needed = field.value("required", false) || field.contains("default_path");
    const std::string stand_in = stand_in_for(field);
    if (needed && !is_given(given, name) && !stand_in.empty())
      given.push_back({name, stand_in, "stand-in"});
  }
}

Setting text_fact(std::string value) {
  Setting setting;
  setting.value = std::move(value);
  setting.origin = "stand-in";
  return setting;
}

// What the sections of a run would say.
const std::map<std::string, Setting>& facts() {
  static const std::map<std::string, Setting> all = {
      {"run.steps", fact(std::int64_t(110), "stand-in")},
      {"batch.sequence_length", fact(std::int64_t(6), "stand-in")},
      {"tokenizer.vocabulary_size", fact(std::int64_t(11), "stand-in")},
      {"model.layers", fact(std::int64_t(2), "stand-in")},
      {"data.documents", text_fact("joined")}};
  return all;
}

}  // namespace

Instance::Instance(const mt_component_v1& type, const SubjectSettings& settings, Services& services,
                   std::uint64_t seed)
    : type_(type),
      context_{kit::head_of<mt_context_v1>(), &services, &Services::find,
               kit::text(services.run_folder()), seed} {
  kit::Failure failure;
  failure.check(type_.create(settings.tree->values(), &context_, &made_, failure.sink()));
}

Instance::~Instance() { type_.destroy(made_); }

Subject::Subject(const mt_component_v1& type, const ManifestComponent& listed, Services& services,
                 std::uint64_t seed, const std::vector<std::string>& sets)
    : type_(type),
      listed_(listed),
      schema_(Json::parse(listed.settings)),
      services_(services),
      seed_(seed),
      given_(sets_of(listed.key, schema_, sets)) {
  add_stand_ins(schema_, given_);
}

std::vector<std::string> Subject::missing() const {
  std::vector<std::string> names;
  for (const auto& [name, field] : properties_of(schema_).items())
    if (field.value("required", false) && !is_given(given_, name)) names.push_back(name);
  return names;
}

SubjectSettings Subject::settings(const std::vector<NamedText>& more) const {
  std::vector<NamedText> all;
  for (const NamedText& g : given_)
    if (!is_given(more, g.name)) all.push_back(g);
  all.insert(all.end(), more.begin(), more.end());
  SubjectSettings settings{check_settings(schema_, all, stand_in_catalog(), key()), nullptr};
  resolve_links(settings.values, facts());
  settings.tree = std::make_unique<SettingsTree>(settings.values.as_map(), [](const Setting& s) {
    return stand_in(s.as_component().interface_id);
  });
  return settings;
}

std::unique_ptr<Instance> Subject::make(const std::vector<NamedText>& more) {
  kept_.push_back(settings(more));
  return std::make_unique<Instance>(type_, kept_.back(), services_, seed_);
}

std::int64_t Subject::number(const std::string& name, std::int64_t otherwise) const {
  const Setting* found = kept_.empty() ? nullptr : kept_.back().values.find(name);
  const bool is_number = found != nullptr && std::holds_alternative<std::int64_t>(found->value);
  return is_number ? found->as_int() : otherwise;
}

}  // namespace mortise::host
