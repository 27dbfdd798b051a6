#include "host/training/run_folder.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

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
  throw Failure("C0307", Exit::configuration,
                "error[C0307]: " + path_.string() +
                    ": this run folder is there already, and nothing is ever overwritten.\n"
                    "  to go on from its last checkpoint:  " +
                    command +
                    " --resume latest\n"
                    "  to start another run:               " +
                    command + " --set run.name=NAME");
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

}  // namespace mortise::host
