// Loaded into the program before the C library (LD_PRELOAD): kills it at the n-th of the calls by
// which the folder of an unfinished checkpoint comes to the disk, or stops it there.
//
//   MORTISE_TEST_KILL_IN_SAVE=RANK:N[:stop]

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

void reach(const char* path) {
  static int calls = 0;
  const char* where = std::getenv("MORTISE_TEST_KILL_IN_SAVE");
  const char* rank = std::getenv("RANK");
  if (where == nullptr || std::strstr(path, "/checkpoints/step_") == nullptr ||
      std::strstr(path, ".partial") == nullptr)
    return;
  if (std::atoi(rank == nullptr ? "0" : rank) != std::atoi(where)) return;
  if (++calls == std::atoi(std::strchr(where, ':') + 1))
    kill(getpid(), std::strstr(where, ":stop") == nullptr ? SIGKILL : SIGSTOP);
}

std::string path_of(int descriptor) {
  char path[PATH_MAX] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return readlink(link.c_str(), path, sizeof path - 1) < 0 ? "" : path;
}

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  reach(path);
  return next<int(const char*, int, ...)>("open")(path, flags, mode);
}

int mkdir(const char* path, mode_t mode) noexcept {
  reach(path);
  return next<int(const char*, mode_t)>("mkdir")(path, mode);
}

int rename(const char* from, const char* to) noexcept {
  reach(from);
  return next<int(const char*, const char*)>("rename")(from, to);
}

int fsync(int descriptor) {
  reach(path_of(descriptor).c_str());
  return next<int(int)>("fsync")(descriptor);
}
}
