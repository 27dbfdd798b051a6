#include "host/cli/session.hpp"

#include <nlohmann/json.hpp>

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
                                      const LoadRequest& request) {
  std::vector<SearchPlace> places;
  for (const std::string& f : files)
    places.push_back({SearchPlace::Kind::file, std::filesystem::absolute(f), "--plugin", true, ""});
  if (request.file.empty()) return places;
  const PluginSection section = read_plugin_section(request);
  for (const std::string& f : section.files)
    places.push_back({SearchPlace::Kind::file, f, "plugins.files", true, ""});
  for (const std::string& f : section.folders)
    places.push_back({SearchPlace::Kind::folder, f, "plugins.folders", true, ""});
  if (const Setting* folders = find_path(section.site, "folders.plugins"))
    for (const Setting& f : folders->as_list())
      places.push_back({SearchPlace::Kind::folder, f.as_text(), "site.yaml", false, ""});
  return places;
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
  plugins_ = std::make_unique<PluginCatalog>(
      search_places(given_places(files, request_), environment_of_this_process()), host_identity());
  catalog_ = std::make_unique<CatalogView>(*plugins_);
}

}  // namespace mortise::host
