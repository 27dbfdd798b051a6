#include "host/training/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "host/failure.hpp"

namespace mortise::host {

RunLock::RunLock(const std::filesystem::path& folder) {
  file_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file_ < 0) return;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;
    if (std::chrono::steady_clock::now() > until) {
      close(file_);
      throw Failure("C0312", Exit::configuration,
                    "error[C0312]: " + folder.string() +
                        ": another process is training this run: wait for its end, or start "
                        "another run with --new");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

RunLock::~RunLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace mortise::host
