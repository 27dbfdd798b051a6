#include "host/checkpoint/files/checked_json.hpp"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace mortise::host {
namespace {

using nlohmann::json;

// Watches the parser, which itself accepts any depth and keeps one of several equal names.
class ParseWatch {
 public:
  explicit ParseWatch(int deepest) : deepest_(deepest) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    if (depth >= deepest_ && (event == Event::object_start || event == Event::array_start))
      throw Malformed("is nested deeper than " + std::to_string(deepest_) + " levels");
    if (event == Event::object_start) names_.emplace_back();
    if (event == Event::object_end) names_.pop_back();
    if (event == Event::key) add(parsed.get_ref<const std::string&>());
    return true;
  }

 private:
  void add(const std::string& name) {
    if (!names_.back().insert(name).second)
      throw Malformed("names `" + name + "` twice in one object");
  }

  int deepest_;
  std::vector<std::set<std::string>> names_;
};

[[noreturn]] void refuse(const char* what, const char* expected, const json& got) {
  std::string text = got.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 60) + "...";
  throw Malformed(std::string(what) + " is " + text + ", expected " + expected);
}

}  // namespace

json parse_checked(std::string_view text, int deepest) {
  ParseWatch watch(deepest);
  try {
    return json::parse(text.begin(), text.end(),
                       [&watch](int depth, json::parse_event_t event, const json& parsed) {
                         return watch(depth, event, parsed);
                       });
  } catch (const json::exception& error) {
    throw Malformed(std::string("is no JSON: ") + error.what());
  }
}

const json& member_of(const json& object, const char* name) {
  if (!object.is_object()) refuse("a value", "an object", object);
  const auto found = object.find(name);
  if (found == object.end()) throw Malformed(std::string("has no `") + name + "`");
  return *found;
}

std::int64_t count_from(const json& value, const char* what) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <= kMost
                        : value.is_number_integer() && value.get<std::int64_t>() >= 0;
  if (!fits) refuse(what, "a whole number of at least 0", value);
  return value.get<std::int64_t>();
}

const std::string& text_from(const json& value, const char* what) {
  if (!value.is_string()) refuse(what, "a text", value);
  return value.get_ref<const std::string&>();
}

const json& list_from(const json& value, const char* what) {
  if (!value.is_array()) refuse(what, "a list", value);
  return value;
}

}  // namespace mortise::host
