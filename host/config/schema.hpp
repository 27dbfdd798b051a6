#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mortise::host {

// What the plugins that were found offer. The checker asks; loading answers from manifests.
class Catalog {
 public:
  virtual ~Catalog() = default;

  struct Offer {
    std::string plugin;       // id: "org.mortise.optim"
    std::string key;          // "adamw"
    nlohmann::json settings;  // its schema: {"type": "object", "properties": …, "rules": …}
    std::string file;         // of the plugin, for messages
    std::string version = {};
  };

  // The offers of one key: none, one, or several, which makes an unqualified `use` an error.
  virtual std::vector<Offer> find(const std::string& interface_id,
                                  const std::string& key) const = 0;
  // Every key of an interface, for "did you mean".
  virtual std::vector<std::string> keys(const std::string& interface_id) const = 0;
  // Why a key is not offered although a plugin has it ("mortise_x.so was refused: P1012 …"), or "".
  virtual std::string why_absent(const std::string& /*interface_id*/,
                                 const std::string& /*key*/) const {
    return "";
  }
};

}  // namespace mortise::host
