#include "host/training/run_folder.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "host/checkpoint/checkpoint_folder.hpp"
#include "host/failure.hpp"

namespace mortise::host {
namespace {

[[noreturn]] void cannot(const std::filesystem::path& path, const std::string& what, int error) {
  throw Failure("K0104", Exit::storage,
                "error[K0104]: " + path.string() + ": " + what + ": " + std::strerror(error) +
                    ": choose another place with run.folder or free this one");
}

}  // namespace

void RunFolder::require_new(const std::string& command) const {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) return;
  const bool saved =
      CheckpointFolder(checkpoints(), [](const std::string&) {}).latest().has_value();
  throw Failure("C0307", Exit::configuration,
                "error[C0307]: " + path_.string() +
                    ": this run folder is there already, and nothing is ever overwritten.\n" +
                    (saved ? "  to go on from its last checkpoint:  " + command + " --resume latest"
                           : "  it has no checkpoint:               remove it to start again") +
                    "\n  to start another run:               " + command + " --set run.name=NAME");
}

void RunFolder::require_there(const std::string& command) const {
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) return;
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

void RunFolder::remove() const {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace mortise::host
