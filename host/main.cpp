#include <cstdlib>

#include "host/cli/command_line.hpp"

namespace {

// Before any library initialises: LibTorch's OpenMP reads it once, and threads that spin while they
// wait ruin a machine whose cores are shared.
void choose_passive_waiting(int, char**, char**) { setenv("OMP_WAIT_POLICY", "PASSIVE", 0); }
__attribute__((section(".preinit_array"),
               used)) void (*const kBeforeLibraries)(int, char**, char**) = choose_passive_waiting;

}  // namespace

int main(int count, char** arguments) {
  return mortise::host::run_command_line({arguments + 1, arguments + count});
}
