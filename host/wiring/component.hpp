#pragma once

#include <map>
#include <memory>
#include <mortise/context.hpp>
#include <string>

#include "host/wiring/settings_tree.hpp"

namespace mortise::host {

// Interfaces that the host offers to components, by id. Objects are lent: they outlive every
// component.
class Services {
 public:
  template <class I>
  void offer(I& service) {
    offered_[Remote<I>::id] = kit::object_of(service);
  }
  void set_run_folder(std::string folder) { run_folder_ = std::move(folder); }
  const std::string& run_folder() const { return run_folder_; }
  static mt_object find(void* self, const char* interface_id);

 private:
  std::map<std::string, mt_object, std::less<>> offered_;
  std::string run_folder_;
};

// One made component. Its settings and context are lent to it for its life.
class Component {
 public:
  struct Origin {
    std::string plugin, key;  // for messages
  };
  // Throws what the component's own construction throws.
  Component(const mt_component_v1& type, std::unique_ptr<SettingsTree> settings, Services& services,
            std::uint64_t seed, Origin origin);
  ~Component();
  Component(const Component&) = delete;

  const Origin& origin() const { return origin_; }
  // "llama of org.mortise.llama"
  const std::string& name() const { return name_; }
  mt_object object(const char* interface_id) const;
  // Messages of failed calls name component and call. The component outlives what it gives.
  // Throws Failure (exit plugin) when the component does not speak I.
  template <class I>
  std::unique_ptr<Remote<I>> as() const {
    auto remote = std::make_unique<Remote<I>>(object(Remote<I>::id));
    remote->set_name(name_.c_str());
    return remote;
  }
  bool speaks(const char* interface_id) const;

 private:
  const mt_component_v1& type_;
  std::unique_ptr<SettingsTree> settings_;
  mt_context_v1 context_;
  Origin origin_;
  std::string name_;
  void* made_ = nullptr;
};

}  // namespace mortise::host
