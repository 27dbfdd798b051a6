#include "input_files.hpp"

#include <glob.h>
#include <unistd.h>

#include <mortise/error.hpp>

namespace mortise::corpus {

namespace {

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  const int result = ::glob(pattern.c_str(), GLOB_NOESCAPE, nullptr, &found);
  const std::vector<std::string> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (result == GLOB_NOSPACE) throw Error(ErrorCode::out_of_memory, pattern + ": out of memory");
  if (files.empty()) throw DataError(pattern + ": no file matches");
  return files;
}

}  // namespace

std::vector<std::string> expand(const std::vector<std::string_view>& patterns) {
  std::vector<std::string> files;
  for (const std::string_view pattern : patterns) {
    const std::string text(pattern);
    const bool is_pattern = text.find_first_of("*?[") != std::string::npos;
    if (!is_pattern || ::access(text.c_str(), F_OK) == 0) {
      files.push_back(text);
      continue;
    }
    for (std::string& file : matches(text)) files.push_back(std::move(file));
  }
  if (files.empty()) throw ConfigError("no input files: expected at least one path or pattern");
  return files;
}

std::string short_list(const std::vector<std::string>& files) {
  if (files.size() == 1) return files[0];
  return files[0] + " and " + std::to_string(files.size() - 1) + " more";
}

}  // namespace mortise::corpus
