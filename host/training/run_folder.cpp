#include "host/training/run_folder.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot(const std::filesystem::path& path, const std::string& what, int error) {
  throw Failure("K0104", Exit::storage,
                "error[K0104]: " + path.string() + ": " + what + ": " + std::strerror(error) +
                    ": choose another place with run.folder or free this one");
}

}  // namespace

fs::path RunFolder::crash_report(std::int64_t rank) const {
  char name[32];
  std::snprintf(name, sizeof name, "crash-rank-%05d.txt", int(rank));
  return path_ / name;
}

bool RunFolder::is_new() const {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path_, error))) return true;
  if (!fs::is_directory(path_, error)) return false;
  for (const auto& entry : fs::recursive_directory_iterator(path_, error))
    if (!entry.is_directory(error) && entry.path().filename() != "config.yaml.partial")
      return false;
  return !error;
}

void RunFolder::require_run(const std::string& command) const {
  std::error_code error;
  if (fs::is_regular_file(config(), error)) return;
  throw Failure("C0311", Exit::configuration,
                "error[C0311]: " + path_.string() +
                    ": this is there already and holds no run (it has no config.yaml), and nothing "
                    "is ever overwritten.\n  to start the run elsewhere:  " +
                    command + " --set run.name=NAME");
}

void RunFolder::refuse_missing(const std::string& command) const {
  throw Failure("C0310", Exit::configuration,
                "error[C0310]: " + path_.string() +
                    ": there is no such run to go on with; to start it:  " + command);
}

void RunFolder::create() const {
  std::error_code error;
  std::filesystem::create_directories(checkpoints(), error);
  if (error) cannot(path_, "the run folder cannot be made", error.value());
}

void RunFolder::write(const std::filesystem::path& file, const std::string& text) const {
  const std::filesystem::path partial = file.string() + ".partial";
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) cannot(file, "cannot be written", errno);
  std::error_code error;
  std::filesystem::rename(partial, file, error);
  if (error) cannot(file, "cannot be written", error.value());
}

std::string RunFolder::read(const std::filesystem::path& file) const {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  return text.str();
}

void RunFolder::remove() const {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string free_run_name(const fs::path& runs, const std::string& name) {
  std::error_code error;
  std::string free = name;
  for (int n = 2; fs::exists(fs::symlink_status(runs / free, error)); ++n)
    free = name + "-" + std::to_string(n);
  return free;
}

}  // namespace mortise::host
