// P1017: code that would be writable while it runs.

#include "host/loading/gate/checks.hpp"

namespace mortise::host {

void check_hardening(const Examined& examined) {
  if (examined.elf.text_relocations)
    examined.findings.push_back({"P1017", "has text relocations",
                                 "code that loads anywhere unchanged", "DT_TEXTREL",
                                 "compile with -fPIC and link with -Wl,-z,text"});
  if (examined.elf.executable_stack)
    examined.findings.push_back(
        {"P1017", "has an executable stack", "a stack that holds data only",
         "PT_GNU_STACK with execute permission, or none",
         "link with -Wl,-z,noexecstack; assembly sources need a .note.GNU-stack section"});
}

}  // namespace mortise::host
