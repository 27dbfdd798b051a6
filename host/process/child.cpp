#include "host/process/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

extern char** environ;

namespace mortise::host {
namespace {

// The arguments of posix_spawn with the output of the child and, where it may be killed, a process
// group of its own.
class SpawnPlan {
 public:
  explicit SpawnPlan(const ChildStart& start) {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, start.output.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0666);
    posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO);
    if (start.limit) posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    for (const std::string& word : start.command) words_.push_back(const_cast<char*>(word.c_str()));
    words_.push_back(nullptr);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;

  pid_t spawn() {
    pid_t child = -1;
    const int error =
        posix_spawnp(&child, words_[0], &files_, &attributes_, words_.data(), environ);
    if (error != 0) throw std::system_error(error, std::generic_category(), words_[0]);
    return child;
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
  std::vector<char*> words_;
};

// Whether the child has ended before the limit.
bool ends_in_time(pid_t child, std::chrono::milliseconds limit) {
  const int handle = int(syscall(SYS_pidfd_open, child, 0));
  if (handle < 0) throw std::system_error(errno, std::generic_category(), "pidfd_open");
  pollfd ended{handle, POLLIN, 0};
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int ready = -1;
  do {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    ready = poll(&ended, 1, int(std::max<std::int64_t>(0, left.count())));
  } while (ready < 0 && errno == EINTR);
  close(handle);
  return ready > 0;
}

}  // namespace

ChildEnd run_child(const ChildStart& start) {
  const pid_t child = SpawnPlan(start).spawn();
  ChildEnd end;
  end.late = start.limit && !ends_in_time(child, *start.limit);
  // What it may have left behind goes too; its own end is not touched by that.
  if (start.limit) {
    if (!end.late) {
      siginfo_t ended{};
      waitid(P_PID, id_t(child), &ended, WEXITED | WNOWAIT);
    }
    kill(-child, SIGKILL);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && !end.late) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  return end;
}

}  // namespace mortise::host
