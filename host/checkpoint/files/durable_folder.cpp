#include "host/checkpoint/files/durable_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "host/checkpoint/files/storage_failure.hpp"

namespace mortise::host {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_directory(folder, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw system_failure(storage::folder, folder, "cannot make the folder", error.value());
}

void rename_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error)
    throw system_failure(storage::folder, from, "cannot rename to " + to.filename().string(),
                         error.value());
  sync_folder(to.parent_path());
}

bool exchange_folders(const std::filesystem::path& a, const std::filesystem::path& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) {
    sync_folder(b.parent_path());
    return true;
  }
  if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return false;
  throw system_failure(storage::folder, a, "cannot swap with " + b.filename().string(), errno);
}

std::filesystem::path aside_name(const std::filesystem::path& taken) {
  std::error_code error;
  const auto is_there = [&](const std::filesystem::path& path) {
    return std::filesystem::symlink_status(path, error).type() !=
           std::filesystem::file_type::not_found;
  };
  std::filesystem::path name = taken.string() + ".aside";
  for (int i = 2; is_there(name); ++i) name = taken.string() + ".aside-" + std::to_string(i);
  return name;
}

void remove_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (error)
    throw system_failure(storage::folder, folder, "cannot remove the folder", error.value());
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    throw system_failure(storage::folder, folder, "cannot open the folder", errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some file systems do not know how to sync a folder.
  if (error != 0 && error != EINVAL && error != ENOTSUP)
    throw system_failure(storage::folder, folder, "cannot write to the disk", error);
}

}  // namespace mortise::host
