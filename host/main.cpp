#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "host/cli/command_line.hpp"

namespace {

// Before any library initialises: LibTorch's OpenMP reads it once, and threads that spin while they
// wait ruin a machine whose cores are shared.
void choose_passive_waiting(int, char**, char**) { setenv("OMP_WAIT_POLICY", "PASSIVE", 0); }
__attribute__((section(".preinit_array"),
               used)) void (*const kBeforeLibraries)(int, char**, char**) = choose_passive_waiting;

}  // namespace

// Everything of a run has been taken down in order by now. Static objects are left alone: those of
// a plugin may need what has gone, and threads that it left running may still use them.
int main(int count, char** arguments) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of the write that meets it
  const int code = mortise::host::run_command_line({arguments + 1, arguments + count});
  std::cout.flush();
  std::fflush(nullptr);
  _exit(code);
}
