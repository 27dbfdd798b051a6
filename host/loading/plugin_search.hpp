#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mortise::host {

// What the process was started with, as far as the search depends on it.
struct SearchEnvironment {
  std::optional<std::string> plugin_path;    // MORTISE_PLUGIN_PATH
  std::optional<std::string> xdg_data_home;  // XDG_DATA_HOME
  std::optional<std::string> home;           // HOME
  bool elevated = false;                     // runs with rights that its caller does not have
  std::filesystem::path executable;
};

SearchEnvironment environment_of_this_process();

// A place where plugins are looked for.
struct SearchPlace {
  enum class Kind { file, folder };

  Kind kind = Kind::folder;
  std::filesystem::path path;
  std::string origin;       // "--plugin", "run.yaml:5:3", "MORTISE_PLUGIN_PATH", "user folder" ...
  bool required = false;    // its absence is an error
  std::string passed_over;  // why it is not searched, "" if it is
};

// All places in their order: files that were given, folders of the run file, MORTISE_PLUGIN_PATH
// (not with elevated rights), the user's folder, the installation's. Paths that are given must be
// absolute: they count from the file that names them, never from the working folder.
std::vector<SearchPlace> search_places(const std::vector<SearchPlace>& given,
                                       const SearchEnvironment& environment);

// A file that some place offers.
struct Candidate {
  std::filesystem::path file;    // as found
  std::filesystem::path target;  // without links
  std::string origin;
  std::string passed_over;  // why it is not judged: "the same file as ..."
};

// Every *.so of every place, in order of the places, then of names. A file that is met twice, by
// name or through a link, is judged once. Throws Failure P1001 if a required place is not there.
std::vector<Candidate> find_candidates(const std::vector<SearchPlace>& places);

}  // namespace mortise::host
