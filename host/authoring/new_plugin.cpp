#include "host/authoring/new_plugin.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "host/config/checking/suggestion.hpp"
#include "host/failure.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 48;

[[noreturn]] void refuse(const char* id, const std::string& text) {
  throw Failure(id, Exit::configuration,
                std::string("error[") + id + "]: mortise plugin new: " + text);
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What can be a component's key, a file, a CMake target and, in its other form, a class.
bool can_be_name(const std::string& name) {
  if (name.empty() || name.size() > kLongestName || !is_lower(name.front()) || name.back() == '_')
    return false;
  for (const char c : name)
    if (!is_lower(c) && !is_digit(c) && c != '_') return false;
  return name.find("__") == std::string::npos;
}

// my_plugin -> MyPlugin
std::string class_name(const std::string& name) {
  std::string text;
  bool upper = true;
  for (const char c : name) {
    if (c != '_') text += upper ? char(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return text;
}

std::string with(std::string text, const std::string& word, const std::string& other) {
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + other.size()))
    text.replace(at, word.size(), other);
  return text;
}

std::string named(const std::string& text, const std::string& name) {
  return with(with(text, "my_plugin", name), "MyPlugin", class_name(name));
}

bool has_word(const std::string& text, const std::string& word) {
  const auto is_part = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c));
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in)
    refuse("C0913", "the template " + file.string() + " cannot be read: install Mortise again");
  return text.str();
}

void check_name(const NewPlugin& wish, const PluginTemplates& templates) {
  if (!can_be_name(wish.name))
    refuse("C0910", "`" + visible(wish.name) + "` cannot be a name: expected at most " +
                        std::to_string(kLongestName) +
                        " lower-case letters, digits and single underscores, a letter first, "
                        "such as my_" +
                        wish.kind);
  const std::string taken = class_name(wish.name);
  for (const char* file : {"my_plugin.cpp", "my_plugin_test.cpp"})
    if (has_word(text_of(templates.folder / wish.kind / file), taken))
      refuse("C0910", "`" + wish.name + "` would give a class " + taken +
                          ", which means something else there: take a name such as my_" +
                          wish.name);
}

void check_kind(const std::string& kind, const std::vector<std::string>& kinds) {
  if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return;
  const std::string near = nearest(kind, kinds);
  refuse("C0911",
         (kind.empty() ? std::string("--kind is missing")
                       : "there is no template of kind `" + visible(kind) + "`") +
             (near.empty() ? "; there are " + list_of(kinds) : "; did you mean " + near + "?"));
}

void copy_named(const fs::path& from, const fs::path& to, const std::string& name) {
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const fs::path target = to / named(fs::relative(entry.path(), from).string(), name);
    if (entry.is_directory()) {
      fs::create_directories(target);
      continue;
    }
    std::ofstream out(target, std::ios::binary);
    out << named(text_of(entry.path()), name);
    if (!out.flush())
      throw fs::filesystem_error("cannot write", target,
                                 std::error_code(errno, std::generic_category()));
    fs::permissions(target, fs::status(entry.path()).permissions());
  }
}

// Beside its place first, so that a failure leaves nothing.
void write_project(const NewPlugin& wish, const fs::path& folder,
                   const PluginTemplates& templates) {
  const fs::path partial = folder.string() + ".partial";
  fs::create_directories(folder.parent_path());
  if (!fs::create_directory(partial))
    refuse("C0912",
           partial.string() + " is there already, of a command that was interrupted: remove it");
  try {
    copy_named(templates.folder / "project", partial, wish.name);
    copy_named(templates.folder / wish.kind, partial, wish.name);
    fs::copy_file(templates.license, partial / "LICENSE");
    fs::rename(partial, folder);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    throw;
  }
}

}  // namespace

std::vector<std::string> PluginTemplates::kinds() const {
  std::vector<std::string> all;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (entry.is_directory() && entry.path().filename() != "project")
      all.push_back(entry.path().filename().string());
  if (all.empty())
    refuse("C0913", "there are no templates in " + folder.string() + ": install Mortise again");
  std::sort(all.begin(), all.end());
  return all;
}

fs::path write_new_plugin(const NewPlugin& wish, const PluginTemplates& templates) {
  check_kind(wish.kind, templates.kinds());
  check_name(wish, templates);
  const fs::path folder =
      fs::absolute(wish.folder.empty() ? fs::path(wish.name) : wish.folder).lexically_normal();
  const fs::path place = folder.has_filename() ? folder : folder.parent_path();
  std::error_code ignored;
  if (fs::exists(place, ignored) && !fs::is_empty(place, ignored))
    refuse("C0912",
           place.string() + " is there already: remove it, or name another one with --folder");
  try {
    write_project(wish, place, templates);
  } catch (const fs::filesystem_error& e) {
    throw Failure("K0002", Exit::storage,
                  "error[K0002]: " + place.string() + " cannot be written: " + e.code().message());
  }
  return place;
}

}  // namespace mortise::host
