#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/config/run_file.hpp"
#include "host/loading/gate.hpp"
#include "host/wiring/component.hpp"
#include "host/wiring/settings_tree.hpp"

namespace mortise::host {

// Settings as a user would give them, held against the component's schema; components that it
// takes are stand-ins of the checker.
struct SubjectSettings {
  Setting values;
  std::unique_ptr<SettingsTree> tree;
};

// One made component.
class Instance {
 public:
  // Errors: what the component throws.
  Instance(const mt_component_v1& type, const SubjectSettings& settings, Services& services,
           std::uint64_t seed);
  ~Instance();
  Instance(const Instance&) = delete;

  mt_object view(const char* interface_id) const { return type_.view(made_, interface_id); }
  template <class I>
  Remote<I> as() const {
    return Remote<I>(view(Remote<I>::id));
  }

 private:
  const mt_component_v1& type_;
  mt_context_v1 context_;
  void* made_ = nullptr;
};

// The component that a check is about, and what it needs to be made.
class Subject {
 public:
  Subject(const mt_component_v1& type, const ManifestComponent& listed, Services& services,
          std::uint64_t seed, const std::vector<std::string>& sets);

  const std::string& key() const { return listed_.key; }
  const ManifestComponent& listed() const { return listed_; }
  const nlohmann::json& schema() const { return schema_; }
  const mt_component_v1& type() const { return type_; }
  Services& services() const { return services_; }
  std::uint64_t seed() const { return seed_; }

  // Settings that have no default and that nobody has given.
  std::vector<std::string> missing() const;
  // Settings with the user's choices and `more`, which comes last.
  // Throws Failure with what the schema says against them.
  SubjectSettings settings(const std::vector<NamedText>& more = {}) const;
  std::unique_ptr<Instance> make(const std::vector<NamedText>& more = {});
  // An integer setting of the last make(), or what stands in for it.
  std::int64_t number(const std::string& name, std::int64_t otherwise) const;

 private:
  const mt_component_v1& type_;
  const ManifestComponent& listed_;
  nlohmann::json schema_;
  Services& services_;
  std::uint64_t seed_;
  std::vector<NamedText> given_;
  std::vector<SubjectSettings> kept_;  // lent to what was made
};

}  // namespace mortise::host
