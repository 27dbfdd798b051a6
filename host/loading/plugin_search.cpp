#include "host/loading/plugin_search.hpp"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include "host/failure.hpp"
#include "host/loading/finding.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4096;

using FileNumber = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

void add_plugin_path(const SearchEnvironment& environment, std::vector<SearchPlace>& places) {
  if (!environment.plugin_path) return;
  std::istringstream stream(*environment.plugin_path);
  for (std::string folder; std::getline(stream, folder, ':');) {
    if (folder.empty()) continue;
    SearchPlace place{SearchPlace::Kind::folder, folder, "MORTISE_PLUGIN_PATH", false, ""};
    if (environment.elevated)
      place.passed_over = "ignored with elevated rights";
    else if (place.path.is_relative())
      place.passed_over = "ignored: not an absolute path";
    places.push_back(std::move(place));
  }
}

void add_user_folder(const SearchEnvironment& environment, std::vector<SearchPlace>& places) {
  fs::path data;
  if (environment.xdg_data_home && fs::path(*environment.xdg_data_home).is_absolute())
    data = *environment.xdg_data_home;
  else if (environment.home && fs::path(*environment.home).is_absolute())
    data = fs::path(*environment.home) / ".local" / "share";
  if (data.empty()) return;
  places.push_back({SearchPlace::Kind::folder, data / "mortise" / "plugins", "user folder", false,
                    environment.elevated ? "ignored with elevated rights" : ""});
}

void add_installation(const SearchEnvironment& environment, std::vector<SearchPlace>& places) {
  if (environment.executable.empty()) return;
  const fs::path prefix = environment.executable.parent_path().parent_path();
  places.push_back({SearchPlace::Kind::folder, prefix / "lib" / "mortise" / "plugins",
                    "installation folder", false, ""});
}

[[noreturn]] void refuse_place(const SearchPlace& place, const std::string& got) {
  const bool is_file = place.kind == SearchPlace::Kind::file;
  throw Failure("P1001", Exit::plugin,
                describe(place.path,
                         PluginFinding{"P1001",
                                       std::string("plugin ") + (is_file ? "file" : "folder") +
                                           " named by " + place.origin + " cannot be searched",
                                       is_file ? "a plugin file" : "a readable folder", got,
                                       "correct the path; relative paths count from the file that "
                                       "names them"}));
}

std::vector<fs::path> plugins_in(const SearchPlace& place) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::directory_iterator entries(place.path, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& file = entries->path();
    if (file.extension() == ".so" && !file.filename().string().starts_with('.'))
      files.push_back(file);
    if (files.size() > kMostFiles) refuse_place(place, "more than 4,096 plugins");
  }
  if (error && place.required) refuse_place(place, error.message());
  std::sort(files.begin(), files.end());
  return files;
}

class CandidateList {
 public:
  void add(const fs::path& file, const std::string& origin) {
    Candidate candidate{file, file, origin, ""};
    std::error_code error;
    const fs::path target = fs::canonical(file, error);
    if (!error) candidate.target = target;
    pass_over_if_known(candidate);
    candidates_.push_back(std::move(candidate));
  }

  std::vector<Candidate> take() { return std::move(candidates_); }

 private:
  // Hard links have one inode; so has whatever a symbolic link leads to.
  void pass_over_if_known(Candidate& candidate) {
    struct stat status {};
    if (::stat(candidate.file.c_str(), &status) != 0) return;
    const auto [known, is_new] =
        first_.try_emplace(FileNumber{status.st_dev, status.st_ino}, candidate.file);
    if (!is_new) candidate.passed_over = "the same file as " + known->second.string();
  }

  std::map<FileNumber, fs::path> first_;
  std::vector<Candidate> candidates_;
};

}  // namespace

SearchEnvironment environment_of_this_process() {
  SearchEnvironment environment;
  environment.plugin_path = variable("MORTISE_PLUGIN_PATH");
  environment.xdg_data_home = variable("XDG_DATA_HOME");
  environment.home = variable("HOME");
  environment.elevated =
      ::getauxval(AT_SECURE) != 0 || ::geteuid() != ::getuid() || ::getegid() != ::getgid();
  std::error_code error;
  environment.executable = fs::read_symlink("/proc/self/exe", error);
  return environment;
}

std::vector<SearchPlace> search_places(const std::vector<SearchPlace>& given,
                                       const SearchEnvironment& environment) {
  std::vector<SearchPlace> places;
  for (const auto kind : {SearchPlace::Kind::file, SearchPlace::Kind::folder})
    for (const SearchPlace& place : given)
      if (place.kind == kind) places.push_back(place);
  add_plugin_path(environment, places);
  add_user_folder(environment, places);
  add_installation(environment, places);
  return places;
}

std::vector<Candidate> find_candidates(const std::vector<SearchPlace>& places) {
  CandidateList candidates;
  for (const SearchPlace& place : places) {
    if (!place.passed_over.empty()) continue;
    if (place.path.is_relative()) refuse_place(place, "a relative path");
    if (place.kind == SearchPlace::Kind::folder) {
      for (const fs::path& file : plugins_in(place)) candidates.add(file, place.origin);
      continue;
    }
    std::error_code error;
    if (place.required && !fs::exists(place.path, error)) refuse_place(place, "no such file");
    candidates.add(place.path, place.origin);
  }
  return candidates.take();
}

}  // namespace mortise::host
