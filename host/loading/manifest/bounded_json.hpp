#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace mortise::host {

using Json = nlohmann::ordered_json;  // settings keep the order that their author gave them

// A place inside the manifest, for reading it and for saying where it is wrong.
class JsonPlace {
 public:
  JsonPlace(const Json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  const Json& value() const { return *value_; }
  const std::string& path() const { return path_; }
  bool has(const char* name) const { return value_->is_object() && value_->contains(name); }

  JsonPlace member(const std::string& name) const;
  JsonPlace element(std::size_t index) const;

  // A text of 1 to `limit` bytes. Throws FileFault.
  std::string text(std::size_t limit = 4096) const;
  const JsonPlace& require_object() const;
  const JsonPlace& require_array() const;

  [[noreturn]] void refuse(const std::string& what, const std::string& expected) const;

 private:
  const Json* value_;
  std::string path_;
};

// Parses text of at most 32 levels and 1,000 members to an object, each named once. Throws
// FileFault.
Json parse_bounded(std::string_view text);

}  // namespace mortise::host
