#pragma once

#include <string>
#include <vector>

#include "host/config/schema.hpp"

namespace mortise::tests {

// Components enough for every rule of the checker, as if two well-behaved plugins and two that
// clash had been found.
class FakeCatalog final : public host::Catalog {
 public:
  std::vector<Offer> find(const std::string& interface_id, const std::string& key) const override;
  std::vector<std::string> keys(const std::string& interface_id) const override;
  std::string why_absent(const std::string& interface_id, const std::string& key) const override;
};

}  // namespace mortise::tests
