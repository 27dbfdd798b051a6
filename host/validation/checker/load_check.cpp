#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "host/loading/library.hpp"
#include "host/validation/checker/checks.hpp"
#include "host/validation/checker/process_state.hpp"

namespace mortise::host {
namespace {

// Standard output and error are one file (host/process/child.hpp).
off_t printed_bytes() {
  std::fflush(nullptr);
  std::cout.flush();
  struct stat status {};
  return ::fstat(STDOUT_FILENO, &status) == 0 ? status.st_size : 0;
}

}  // namespace

const mt_plugin_v1& check_load(const Judgement& judgement, Progress& progress) {
  progress.at("loading");
  const auto before = process_state();
  const off_t printed = printed_bytes();
  const mt_plugin_v1& plugin = open_plugin(judgement);
  if (printed_bytes() != printed) progress.fail("loading: prints");
  for (const std::string& change : changes(before, process_state()))
    progress.fail("loading changes the process: " + change);
  return plugin;
}

}  // namespace mortise::host
