#pragma once

// A component made from its built plugin as the host makes it: through the one exported function.

#include <dlfcn.h>
#include <mortise/c/plugin.h>

#include <deque>
#include <mortise/amount.hpp>
#include <mortise/kit/call.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace mortise::tests {

// A settings tree with the C form that a component is made from.
class Settings {
 public:
  Settings& set(const char* key, bool v) {
    return add(key, MT_BOOL, [&](mt_value& n) { n.as.i = v; });
  }
  Settings& set(const char* key, int v) {
    return add(key, MT_INT, [&](mt_value& n) { n.as.i = v; });
  }
  Settings& set(const char* key, double v) {
    return add(key, MT_FLOAT, [&](mt_value& n) { n.as.f = v; });
  }
  Settings& set(const char* key, const char* v) {
    return add(key, MT_TEXT, [&](mt_value& n) { n.as.text = kit::text(v); });
  }
  Settings& set(const char* key, const std::vector<double>& list) {
    return add_list(key, list, MT_FLOAT, [](mt_value& n, double v) { n.as.f = v; });
  }
  Settings& set(const char* key, const std::vector<const char*>& list) {
    return add_list(key, list, MT_TEXT,
                    [](mt_value& n, const char* v) { n.as.text = kit::text(v); });
  }
  Settings& set(const char* key, const Amount& amount) {
    auto& items = lists_.emplace_back(2);
    items[0] = {"value", MT_FLOAT, {}};
    items[0].as.f = amount.value;
    items[1] = {"unit", MT_INT, {}};
    items[1].as.i = std::int64_t(amount.unit);
    return add(key, MT_MAP, [&](mt_value& n) { n.as.items = {items.data(), items.size()}; });
  }
  mt_values values() const { return {all_.data(), all_.size()}; }

 private:
  template <class F>
  Settings& add(const char* key, std::uint64_t kind, const F& write) {
    write(all_.emplace_back(mt_value{key, kind, {}}));
    return *this;
  }
  template <class T, class F>
  Settings& add_list(const char* key, const std::vector<T>& list, std::uint64_t kind,
                     const F& write) {
    auto& items = lists_.emplace_back();
    for (const T& v : list) write(items.emplace_back(mt_value{nullptr, kind, {}}), v);
    return add(key, MT_LIST, [&](mt_value& n) { n.as.items = {items.data(), items.size()}; });
  }
  std::vector<mt_value> all_;
  std::deque<std::vector<mt_value>> lists_;
};

inline const mt_component_v1& find_component(const char* plugin, const char* key) {
  const std::string file = std::string(MORTISE_PLUGIN_DIR) + "/mortise_" + plugin + ".so";
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays loaded
  if (library == nullptr) throw std::runtime_error(dlerror());
  using Entry = const mt_plugin_v1* (*)();
  const mt_plugin_v1* listed = reinterpret_cast<Entry>(dlsym(library, "mortise_plugin"))();
  for (std::size_t i = 0; i != listed->component_count; ++i)
    if (std::string_view(listed->components[i]->key) == key) return *listed->components[i];
  throw std::runtime_error(file + " has no component " + key);
}

template <class I>
class Loaded {
 public:
  // The plugin of a component has the component's name.
  explicit Loaded(const char* key, Settings settings = {})
      : settings_(std::move(settings)), component_(find_component(key, key)) {
    kit::Failure failure;
    failure.check(component_.create(settings_.values(), &context_, &made_, failure.sink()));
    remote_ = std::make_unique<Remote<I>>(component_.view(made_, Remote<I>::id));
  }
  ~Loaded() { component_.destroy(made_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  I& operator*() const { return *remote_; }
  I* operator->() const { return remote_.get(); }

 private:
  static mt_object no_service(void*, const char*) { return {nullptr, nullptr}; }
  Settings settings_;
  mt_context_v1 context_{kit::head_of<mt_context_v1>(), nullptr, &no_service, {"", 0}, 1};
  const mt_component_v1& component_;
  void* made_ = nullptr;
  std::unique_ptr<Remote<I>> remote_;
};

}  // namespace mortise::tests
