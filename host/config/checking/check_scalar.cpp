// Checker: scalars, their limits and choices.

#include <cmath>

#include "host/config/checking/checker.hpp"
#include "host/config/checking/scalar.hpp"
#include "host/config/checking/suggestion.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::json;

template <typename T>
bool take(const Reading<T>& reading, Setting& out, std::string& problem) {
  if (reading.value) out.value = *reading.value;
  problem = reading.problem;
  return reading.value.has_value();
}

// The setting as a number to compare with limits; nothing for text and bools.
std::optional<double> number_of(const Setting& setting) {
  if (const auto* whole = std::get_if<std::int64_t>(&setting.value))
    return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&setting.value)) return *number;
  if (const auto* amount = std::get_if<Amount>(&setting.value)) return amount->value;
  return std::nullopt;
}

bool equals(const Setting& setting, const Json& choice) {
  if (choice.is_string())
    return setting.is_text() && setting.as_text() == choice.get<std::string>();
  const auto number = number_of(setting);
  return number && choice.is_number() && *number == choice.get<double>();
}

// Numbers with a unit are text for YAML, so quotes do no harm there; without one they do.
bool quotes_matter(const Json& field, const Node& node) {
  if (!node.quoted || text_of(field, "type") == "string") {
    const bool has_meaning = !text_of(field, "meaning").empty() &&
                             text_of(field, "meaning") != "path" &&
                             text_of(field, "meaning") != "name";
    if (!node.quoted || !has_meaning) return false;
  }
  const bool takes_units = !text_of(field, "meaning").empty();
  return !takes_units || read_number(node.text).value.has_value();
}

bool is_address(const std::string& path) {
  return path == "-" || path.find("://") != std::string::npos;
}

}  // namespace

Setting Checker::scalar(const Json& field, const Node& node, const Spot& spot) {
  Setting setting = start(node, spot);
  setting.written = node.written;
  if (quotes_matter(field, node)) {
    add(finding::quoted_value, node.place, spot,
        "expected " + describe_field(field) + ", got " + describe_node(node) +
            ": a quoted value is text, remove the quotes");
    return setting;
  }
  std::string problem;
  if (!read_scalar(field, node, setting, problem)) {
    const bool field_named = problem == "is not " + describe_field(field);
    const bool range = problem.find("too ") != std::string::npos || problem == "is negative";
    add(range ? finding::out_of_range : finding::wrong_type, node.place, spot,
        shown(node) + " " + problem + (field_named ? "" : "; expected " + describe_field(field)));
    return setting;
  }
  if (setting.is_text()) check_text(field, node, setting);
  check_limits(field, node, setting);
  check_choice(field, node, setting);
  if (text_of(field, "meaning") == "duration" && setting.written.empty()) {
    setting.written = write_number(setting.as_double()) + "s";
  }
  return setting;
}

bool Checker::read_scalar(const Json& field, const Node& node, Setting& out, std::string& problem) {
  const std::string type = text_of(field, "type");
  const std::string meaning = text_of(field, "meaning");
  if (meaning == "amount") return take(read_amount(node.text), out, problem);
  if (meaning == "duration") return take(read_duration(node.text), out, problem);
  if (meaning == "bytes" || meaning == "tokens") {
    const auto reading = meaning == "bytes" ? read_bytes(node.text) : read_count(node.text);
    if (reading.value && *reading.value < 0) return problem = "is negative", false;
    return take(reading, out, problem);
  }
  if (type == "boolean") return take(read_bool(node.text), out, problem);
  if (type == "integer") return take(read_integer(node.text), out, problem);
  if (type == "number") return take(read_number(node.text), out, problem);
  out.value = node.text;
  return true;
}

void Checker::check_limits(const Json& field, const Node& node, Setting& setting) {
  const auto number = number_of(setting);
  if (!number) return;
  const Spot spot{setting.path, "", node.place};
  const auto refuse = [&](const std::string& why) {
    add(finding::out_of_range, node.place, spot, shown(node) + " is out of range: " + why);
  };
  const auto limit = [&](const char* key) { return field.contains(key) && field[key].is_number(); };
  if (limit("minimum") && *number < field["minimum"].get<double>())
    return refuse("at least " + field["minimum"].dump());
  if (limit("maximum") && *number > field["maximum"].get<double>())
    return refuse("at most " + field["maximum"].dump());
  if (field.value("positive", false) && *number <= 0) return refuse("more than 0");
  if (!limit("multiple_of")) return;
  const double step = field["multiple_of"].get<double>();
  if (step > 0 && std::remainder(*number, step) != 0)
    refuse("a multiple of " + field["multiple_of"].dump());
}

void Checker::check_choice(const Json& field, const Node& node, const Setting& setting) {
  const Spot spot{setting.path, "", node.place};
  if (setting.is_text() && field.contains("refuse")) {
    const std::string why = text_of(field["refuse"], setting.as_text().c_str());
    if (!why.empty()) return add(finding::not_supported, node.place, spot, shown(node) + " " + why);
  }
  const auto choices = field.find("enum");
  if (choices == field.end()) return;
  std::vector<std::string> words;
  for (const Json& choice : *choices) {
    if (equals(setting, choice)) return;
    words.push_back(choice.is_string() ? choice.get<std::string>() : choice.dump());
  }
  if (words.size() == 1) {
    return add(finding::not_supported, node.place, spot,
               shown(node) + " is not supported: " + words[0] + " is what this version supports");
  }
  std::string text = shown(node) + " is not " + describe_field(field);
  const std::string near = setting.is_text() ? nearest(setting.as_text(), words) : "";
  if (!near.empty()) text += "; did you mean " + near + "?";
  add(finding::not_a_choice, node.place, spot, text);
}

void Checker::check_text(const Json& field, const Node& node, Setting& setting) {
  std::string& text = std::get<std::string>(setting.value);
  const Spot spot{setting.path, "", node.place};
  const std::string meaning = text_of(field, "meaning");
  if (text.find('\0') != std::string::npos) {
    return add(finding::wrong_type, node.place, spot, "text may not hold U+0000");
  }
  if (meaning == "name") {
    if (const std::string fault = judge_name(text, true); !fault.empty()) {
      add(finding::bad_name, node.place, spot, shown(node) + ": " + fault);
    }
  }
  if (meaning != "path") return;
  if (node.named_by == nullptr || is_address(text)) return;  // a default stays as it is
  if (text.empty()) return add(finding::wrong_type, node.place, spot, "a path may not be empty");
  text = (node.named_by->folder() / text).lexically_normal().string();
}

}  // namespace mortise::host
