// Settings written as a file that loads to the same settings.

#include <algorithm>

#include "host/config/checking/scalar.hpp"
#include "host/config/checking/suggestion.hpp"
#include "host/config/composition/interpolation.hpp"
#include "host/config/run_file.hpp"
#include "host/config/run_schema.hpp"

namespace mortise::host {
namespace {

// A word that YAML and the checker read back as the same text without quotes.
bool is_plain_word(const std::string& text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !letter(text[0])) return false;
  if (text == "null" || text == "Null" || text == "NULL") return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '-';
  });
}

std::string quote(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      out += "\\x", out += kHex[byte >> 4], out += kHex[byte & 15];
    else
      out += c;
  }
  return out + "\"";
}

std::string key_text(const std::string& key) { return is_plain_word(key) ? key : quote(key); }

std::string scalar_text(const Setting& setting) {
  if (setting.written.starts_with("$") || setting.written.find("${") != std::string::npos)
    return quote(setting.written);
  if (!setting.written.empty()) return setting.written;
  if (const auto* flag = std::get_if<bool>(&setting.value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&setting.value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&setting.value)) return write_number(*number);
  if (const auto* amount = std::get_if<Amount>(&setting.value)) return write_amount(*amount);
  const std::string text = escape_interpolation(setting.as_text());
  return is_plain_word(text) ? text : quote(text);
}

bool is_scalar(const Setting& setting) {
  return !setting.is_list() && !setting.is_map() && !setting.is_component() &&
         !setting.is_linked() && setting.is_set();
}

std::string comment(const std::string& origin) {
  return origin.empty() ? "" : "  # " + one_line(origin);
}

class Writer {
 public:
  std::string take() { return std::move(out_); }
  void entry(const Entry& entry, int depth);

 private:
  void value(const Setting& setting, int depth);  // after "key:" or "-"
  void entries(const Setting::Map& entries, int depth);
  void component(const Setting& setting, int depth);
  void list(const Setting& setting, int depth);
  void line(int depth, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text;
  }

  std::string out_;
};

void Writer::entry(const Entry& entry, int depth) {
  if (entry.value.is_linked()) {
    line(depth, "# " + key_text(entry.key) + ": linked to " +
                    std::get<Linked>(entry.value.value).path + "\n");
    return;
  }
  line(depth, key_text(entry.key) + ":");
  value(entry.value, depth);
}

void Writer::value(const Setting& setting, int depth) {
  if (is_scalar(setting))
    out_ += " " + scalar_text(setting) + comment(setting.origin) + "\n";
  else if (setting.is_component())
    component(setting, depth);
  else if (setting.is_list())
    list(setting, depth);
  else if (setting.is_map())
    entries(setting.as_map(), depth);
  else
    out_ += "\n";
}

void Writer::entries(const Setting::Map& entries, int depth) {
  const bool any = std::any_of(entries.begin(), entries.end(),
                               [](const Entry& one) { return !one.value.is_linked(); });
  out_ += any ? "\n" : " {}\n";
  for (const Entry& one : entries) entry(one, depth + 1);
}

void Writer::component(const Setting& setting, int depth) {
  const ComponentNode& node = setting.as_component();
  out_ += "\n";
  if (!node.ref.empty())
    return line(depth + 1, "ref: " + quote(node.ref) + comment(setting.origin) + "\n");
  const std::string use = node.qualified ? quote(node.plugin + ":" + node.use) : key_text(node.use);
  line(depth + 1, "use: " + use + comment(setting.origin + ", from " + node.plugin) + "\n");
  for (const Entry& one : node.host_keys) entry(one, depth + 1);
  for (const Entry& one : node.settings) entry(one, depth + 1);
}

void Writer::list(const Setting& setting, int depth) {
  const Setting::List& items = setting.as_list();
  if (std::all_of(items.begin(), items.end(), is_scalar)) {
    std::string text;
    for (const Setting& item : items) text += (text.empty() ? "" : ", ") + scalar_text(item);
    out_ += " [" + text + "]" + comment(setting.origin) + "\n";
    return;
  }
  out_ += comment(setting.origin) + "\n";
  for (const Setting& item : items) {
    line(depth + 1, "-");
    value(item, depth + 1);
  }
}

}  // namespace

std::string write_resolved(const Setting& root) {
  Writer writer;
  for (const std::string& section : section_order()) {
    if (const Setting* setting = root.find(section)) writer.entry({section, *setting}, 0);
  }
  return "# Every setting of a run with its origin, written by mortise. It loads to the same "
         "settings.\n" +
         writer.take();
}

}  // namespace mortise::host
