#pragma once

// A component of a plugin file, made the way the host makes it but without the host: through the
// exported function and the C tables.

#include <dlfcn.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <mortise/amount.hpp>
#include <mortise/context.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mortise::tests {

using NamedObjects = std::vector<std::pair<std::string, mt_object>>;

// The value of a setting. A component is passed as the object of its proxy.
struct SettingValue {
  std::variant<bool, std::int64_t, double, std::string, Amount, std::vector<std::string>, mt_object,
               NamedObjects>
      value;
  SettingValue(bool v) : value(v) {}
  SettingValue(int v) : value(std::int64_t(v)) {}
  SettingValue(std::int64_t v) : value(v) {}
  SettingValue(double v) : value(v) {}
  SettingValue(const char* v) : value(std::string(v)) {}
  SettingValue(std::string v) : value(std::move(v)) {}
  SettingValue(Amount v) : value(v) {}
  SettingValue(std::vector<std::string> v) : value(std::move(v)) {}
  SettingValue(mt_object v) : value(v) {}
  SettingValue(NamedObjects v) : value(std::move(v)) {}
};
using SettingList = std::vector<std::pair<std::string, SettingValue>>;

// The tree of mt_value that a component reads, and what it points to.
class SettingTree {
 public:
  explicit SettingTree(SettingList list) : list_(std::move(list)) {
    auto& root = nodes_.emplace_back();
    for (const auto& [name, setting] : list_)
      root.push_back(
          std::visit([&](const auto& v) { return node(name.c_str(), v); }, setting.value));
  }
  SettingTree(const SettingTree&) = delete;
  mt_values values() const { return {nodes_.front().data(), nodes_.front().size()}; }

 private:
  static mt_value node(const char* key, bool v) { return {key, MT_BOOL, {.i = v}}; }
  static mt_value node(const char* key, std::int64_t v) { return {key, MT_INT, {.i = v}}; }
  static mt_value node(const char* key, double v) { return {key, MT_FLOAT, {.f = v}}; }
  static mt_value node(const char* key, const std::string& v) {
    return {key, MT_TEXT, {.text = kit::text(v)}};
  }
  static mt_value node(const char* key, mt_object v) { return {key, MT_COMPONENT, {.object = v}}; }
  mt_value node(const char* key, const Amount& v) {
    auto& items = nodes_.emplace_back();
    items.push_back(node("value", v.value));
    items.push_back(node("unit", std::int64_t(v.unit)));
    return {key, MT_MAP, {.items = {items.data(), items.size()}}};
  }
  mt_value node(const char* key, const std::vector<std::string>& v) {
    auto& items = nodes_.emplace_back();
    for (const std::string& text : v) items.push_back(node(nullptr, text));
    return {key, MT_LIST, {.items = {items.data(), items.size()}}};
  }

  mt_value node(const char* key, const NamedObjects& v) {
    auto& items = nodes_.emplace_back();
    for (const auto& [name, object] : v) items.push_back(node(name.c_str(), object));
    return {key, MT_MAP, {.items = {items.data(), items.size()}}};
  }

  SettingList list_;
  std::deque<std::vector<mt_value>> nodes_;
};

// Keeps what a component logs.
class KeptLog final : public Logger {
 public:
  void log(LogLevel, std::string_view text) override { lines.emplace_back(text); }
  std::vector<std::string> lines;
};

// What a component is lent.
struct Surroundings {
  std::string run_folder{};
  std::uint64_t seed = 0;
  std::map<std::string, mt_object> services{};  // by interface id, besides the logger
};

class LoadedComponent {
 public:
  // `plugin`: NAME of mortise_NAME.so in MORTISE_PLUGIN_DIR, else among the fixtures.
  // Errors: what the component throws on construction.
  LoadedComponent(const std::string& plugin, const std::string& key, SettingList settings = {},
                  Surroundings surroundings = {})
      : settings_(std::move(settings)), surroundings_(std::move(surroundings)) {
    surroundings_.services.emplace(Remote<Logger>::id, kit::object_of<Logger>(log_));
    context_ = {kit::head_of<mt_context_v1>(), this, &service, kit::text(surroundings_.run_folder),
                surroundings_.seed};
    component_ = &find(plugin, key);
    kit::Failure failure;
    failure.check(component_->create(settings_.values(), &context_, &made_, failure.sink()));
  }
  ~LoadedComponent() {
    if (made_ != nullptr) component_->destroy(made_);
  }
  LoadedComponent(const LoadedComponent&) = delete;

  template <class I>
  Remote<I> as() const {
    return Remote<I>(component_->view(made_, Remote<I>::id));
  }
  // The object itself: one compiler has built both sides.
  template <class I>
  I& in_place() const {
    return *static_cast<I*>(object<I>().self);
  }
  template <class I>
  mt_object object() const {
    return component_->view(made_, Remote<I>::id);
  }
  const std::vector<std::string>& log() const { return log_.lines; }

 private:
  static mt_object service(void* self, const char* id) {
    const auto& services = static_cast<LoadedComponent*>(self)->surroundings_.services;
    const auto found = services.find(id);
    return found == services.end() ? mt_object{} : found->second;
  }

  static const mt_component_v1& find(const std::string& plugin, const std::string& key) {
    std::string path = std::string(MORTISE_PLUGIN_DIR) + "/mortise_" + plugin + ".so";
#ifdef MORTISE_FIXTURE_PLUGIN_DIR
    if (::access(path.c_str(), F_OK) != 0)
      path = std::string(MORTISE_FIXTURE_PLUGIN_DIR) + "/mortise_" + plugin + ".so";
#endif
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays loaded
    if (library == nullptr) throw Error(ErrorCode::failed, ::dlerror());
    using Entry = const mt_plugin_v1* (*)();
    const auto entry = reinterpret_cast<Entry>(::dlsym(library, "mortise_plugin"));
    const mt_plugin_v1& table = *entry();
    for (std::size_t i = 0; i != table.component_count; ++i)
      if (key == table.components[i]->key) return *table.components[i];
    throw Error(ErrorCode::failed, path + " has no component " + key);
  }

  SettingTree settings_;
  Surroundings surroundings_;
  KeptLog log_;
  mt_context_v1 context_{};
  const mt_component_v1* component_ = nullptr;
  void* made_ = nullptr;
};

}  // namespace mortise::tests
