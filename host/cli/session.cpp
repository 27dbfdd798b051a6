#include "host/cli/session.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/failure.hpp"
#include "host/loading/finding.hpp"
#include "host/wiring/host_tables.hpp"

namespace mortise::host {
namespace {

// The catalog as the configuration asks it.
class CatalogView final : public Catalog {
 public:
  explicit CatalogView(const PluginCatalog& plugins) : plugins_(plugins) {}
  std::vector<Offer> find(const std::string& interface_id, const std::string& key) const override {
    std::vector<Offer> all;
    for (const ComponentOffer& o : plugins_.find(interface_id, key))
      all.push_back(
          {o.plugin, o.key, nlohmann::json::parse(o.settings), o.file.string(), o.version});
    return all;
  }
  std::vector<std::string> keys(const std::string& interface_id) const override {
    return plugins_.keys(interface_id);
  }
  std::string why_absent(const std::string& interface_id, const std::string& key) const override {
    return plugins_.why_absent(interface_id, key);
  }

 private:
  const PluginCatalog& plugins_;
};

std::vector<SearchPlace> given_places(const std::vector<std::string>& files,
                                      const PluginSection& section) {
  std::vector<SearchPlace> places;
  for (const std::string& f : files)
    places.push_back({SearchPlace::Kind::file, std::filesystem::absolute(f), "--plugin", true, ""});
  for (const std::string& f : section.files)
    places.push_back({SearchPlace::Kind::file, f, "plugins.files", true, ""});
  for (const std::string& f : section.folders)
    places.push_back({SearchPlace::Kind::folder, f, "plugins.folders", true, ""});
  if (const Setting* folders = find_path(section.site, "folders.plugins"))
    for (const Setting& f : folders->as_list())
      places.push_back({SearchPlace::Kind::folder, f.as_text(), "site.yaml", false, ""});
  return places;
}

TrustPolicy policy_named(const std::string& name) {
  return name == "require" ? TrustPolicy::require
         : name == "warn"  ? TrustPolicy::warn
                           : TrustPolicy::off;
}

// The operator's policy; a run file can only tighten it.
TrustPolicy policy_of(const PluginSection& section) {
  const Setting* site = find_path(section.site, "policy");
  const TrustPolicy floor =
      site != nullptr && site->is_text() ? policy_named(site->as_text()) : TrustPolicy::off;
  return std::max(floor, policy_named(section.policy));
}

}  // namespace

LoadRequest request_for(const std::string& file, const std::vector<std::string>& sets) {
  const Installation here = Installation::of_this_process();
  LoadRequest request;
  request.file = file;
  request.sets = sets;
  request.defaults_file = here.defaults().string();
  request.site_file = here.site();
  request.include_folders = {here.configs().string()};
  return request;
}

Session::Session(const std::vector<std::string>& files, LoadRequest request)
    : request_(std::move(request)) {
  const PluginSection section =
      request_.file.empty() ? PluginSection{} : read_plugin_section(request_);
  HostIdentity host = host_identity();
  host.policy = policy_of(section);
  plugins_ = std::make_unique<PluginCatalog>(
      search_places(given_places(files, section), environment_of_this_process()), host);
  catalog_ = std::make_unique<CatalogView>(*plugins_);
}

RunFile Session::load() const {
  require_named_plugins();
  return load_run_file(request_, *catalog_);
}

void Session::require_named_plugins() const {
  for (const CatalogEntry& entry : plugins_->entries()) {
    const bool named =
        entry.candidate.origin == "--plugin" || entry.candidate.origin == "plugins.files";
    if (named && !entry.judgement.accepted())
      throw Failure(entry.judgement.findings.front().id, Exit::plugin,
                    describe(entry.judgement.file, entry.judgement.findings));
  }
}

}  // namespace mortise::host
