#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string_view>

namespace mortise::host {

// What is wrong with the content of a file, as the end of a sentence that begins with its name; the
// caller knows the file.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Parses JSON of at most `deepest` levels whose objects name each member once. Throws
// Malformed, as the functions below do.
nlohmann::json parse_checked(std::string_view text, int deepest);

// The member `name` of an object, which must be there.
const nlohmann::json& member_of(const nlohmann::json& object, const char* name);
// A whole number of at least 0 that fits std::int64_t.
std::int64_t count_from(const nlohmann::json& value, const char* what);
const std::string& text_from(const nlohmann::json& value, const char* what);
// Requires an array.
const nlohmann::json& list_from(const nlohmann::json& value, const char* what);

}  // namespace mortise::host
