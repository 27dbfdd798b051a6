#include "host/loading/manifest/bounded_json.hpp"

#include <set>
#include <vector>

#include "host/loading/elf/byte_source.hpp"

namespace mortise::host {
namespace {

constexpr int kDeepest = 32;
constexpr std::size_t kMostMembers = 1000;
constexpr const char* kAdvice =
    "rebuild the plugin with the Mortise SDK, which writes the manifest";

[[noreturn]] void refuse_text(const std::string& expected, const std::string& got) {
  throw FileFault("manifest is not readable", expected, got, kAdvice);
}

// Watches the parser, which itself accepts any depth and keeps one of several equal names.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > kDeepest) refuse_text("at most 32 levels", "more");
    if (event == Event::object_start) names_.emplace_back();
    if (event == Event::object_end) names_.pop_back();
    if (event == Event::key) add(parsed.get_ref<const std::string&>());
    if ((event == Event::key || event == Event::value) && parsed.is_string())
      check_printable(parsed.get_ref<const std::string&>());
    return true;
  }

 private:
  void add(const std::string& name) {
    if (!names_.back().insert(name).second)
      refuse_text("each name once in an object", "`" + name + "` twice");
    if (names_.back().size() > kMostMembers) refuse_text("at most 1,000 names", "more");
  }

  // These texts go to terminals.
  static void check_printable(const std::string& text) {
    for (const char c : text)
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
        refuse_text("text without control characters", "a control character");
  }

  std::vector<std::set<std::string>> names_;
};

std::string kind_and_value(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 80 ? text.substr(0, 80) + "..." : text;
}

}  // namespace

JsonPlace JsonPlace::member(const std::string& name) const {
  require_object();
  const auto found = value_->find(name);
  if (found == value_->end()) refuse("has no `" + name + "`", "`" + name + "`");
  return {*found, path_.empty() ? name : path_ + "." + name};
}

JsonPlace JsonPlace::element(std::size_t index) const {
  return {(*value_)[index], path_ + "[" + std::to_string(index) + "]"};
}

std::string JsonPlace::text(std::size_t limit) const {
  if (!value_->is_string()) refuse("is no text", "a text");
  const auto& text = value_->get_ref<const std::string&>();
  if (text.empty() || text.size() > limit || text.find('\0') != std::string::npos)
    refuse("is empty or too long", "1 to " + std::to_string(limit) + " bytes of text");
  return text;
}

const JsonPlace& JsonPlace::require_object() const {
  if (!value_->is_object()) refuse("is no object", "an object");
  return *this;
}

const JsonPlace& JsonPlace::require_array() const {
  if (!value_->is_array()) refuse("is no list", "a list");
  return *this;
}

void JsonPlace::refuse(const std::string& what, const std::string& expected) const {
  throw FileFault("manifest: " + (path_.empty() ? "it" : "`" + path_ + "`") + " " + what, expected,
                  kind_and_value(*value_), kAdvice);
}

Json parse_bounded(std::string_view text) {
  Watch watch;
  try {
    return Json::parse(text.begin(), text.end(),
                       [&watch](int depth, Json::parse_event_t event, const Json& parsed) {
                         return watch(depth, event, parsed);
                       });
  } catch (const Json::exception& error) {
    refuse_text("JSON", error.what());
  }
}

}  // namespace mortise::host
