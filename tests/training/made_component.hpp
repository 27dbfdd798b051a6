#pragma once

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mortise/context.hpp>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace mortise::tests {

// Services that a test offers to the components it makes.
class Services {
 public:
  Services() { c_ = {kit::head_of<mt_context_v1>(), this, &find, kit::text(""), 1234}; }
  Services(const Services&) = delete;
  template <class I>
  void offer(I& service) {
    offered_[Remote<I>::id] = kit::object_of(service);
  }
  const mt_context_v1& context() const { return c_; }

 private:
  static mt_object find(void* self, const char* id) {
    const auto& all = static_cast<Services*>(self)->offered_;
    const auto found = all.find(id);
    return found == all.end() ? mt_object{nullptr, nullptr} : found->second;
  }
  mt_context_v1 c_{};
  std::map<std::string, mt_object> offered_;
};

struct TestSetting {
  std::string key;
  std::variant<bool, std::int64_t, double, std::string> value;
};

// A component made by a plugin file, as the host makes it. The file stays mapped.
class MadeComponent {
 public:
  MadeComponent(const std::string& file, const std::string& key, std::vector<TestSetting> settings,
                const Services& services)
      : settings_(std::move(settings)) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) throw std::runtime_error(dlerror());
    const auto entry =
        reinterpret_cast<const mt_plugin_v1* (*)()>(dlsym(library, "mortise_plugin"));
    const mt_plugin_v1& plugin = *entry();
    for (std::size_t i = 0; i != plugin.component_count; ++i)
      if (plugin.components[i]->key == key) type_ = plugin.components[i];
    if (type_ == nullptr) throw std::runtime_error(file + " offers no " + key);
    for (const TestSetting& s : settings_) nodes_.push_back(node(s));
    kit::Failure failure;
    failure.check(
        type_->create({nodes_.data(), nodes_.size()}, &services.context(), &made_, failure.sink()));
  }
  ~MadeComponent() { type_->destroy(made_); }
  MadeComponent(const MadeComponent&) = delete;

  // Through the tables.
  template <class I>
  Remote<I> crossed() const {
    return Remote<I>(object<I>());
  }
  // The object itself: one compiler has built both sides.
  template <class I>
  I& in_place() const {
    return *static_cast<I*>(object<I>().self);
  }

 private:
  template <class I>
  mt_object object() const {
    const mt_object found = type_->view(made_, Remote<I>::id);
    if (found.table == nullptr) throw std::runtime_error(std::string("not a ") + Remote<I>::id);
    return found;
  }
  static mt_value node(const TestSetting& s) {
    mt_value n{s.key.c_str(), MT_NONE, {}};
    if (const auto* b = std::get_if<bool>(&s.value)) n.kind = MT_BOOL, n.as.i = *b;
    if (const auto* i = std::get_if<std::int64_t>(&s.value)) n.kind = MT_INT, n.as.i = *i;
    if (const auto* f = std::get_if<double>(&s.value)) n.kind = MT_FLOAT, n.as.f = *f;
    if (const auto* t = std::get_if<std::string>(&s.value))
      n.kind = MT_TEXT, n.as.text = kit::text(*t);
    return n;
  }

  std::vector<TestSetting> settings_;
  std::vector<mt_value> nodes_;
  const mt_component_v1* type_ = nullptr;
  void* made_ = nullptr;
};

}  // namespace mortise::tests
