#include "input_files.hpp"

#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mortise/error.hpp>

#include "raw_input.hpp"

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

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_folder(const std::string& path) {
  std::error_code not_there;  // opening it says so
  return path != kStandardInput && fs::is_directory(path, not_there);
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (is_hidden(at->path()))
      at.disable_recursion_pending();
    else if (!at->is_directory(error))
      files.push_back(at->path().string());
  }
  if (error) throw DataError(folder + " cannot be listed: " + error.message());
  if (files.empty()) throw DataError(folder + ": no files in this folder");
  std::sort(files.begin(), files.end());
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

std::vector<std::string> text_files(const std::vector<std::string_view>& patterns) {
  std::vector<std::string> files;
  for (const std::string& path : expand(patterns)) {
    if (is_folder(path))
      for (std::string& file : files_below(path)) files.push_back(std::move(file));
    else
      files.push_back(path);
  }
  if (std::count(files.begin(), files.end(), kStandardInput) > 1)
    throw ConfigError("standard input (-) is given twice");
  return files;
}

std::string short_list(const std::vector<std::string>& files) {
  if (files.size() == 1) return files[0];
  return files[0] + " and " + std::to_string(files.size() - 1) + " more";
}

}  // namespace mortise::corpus
