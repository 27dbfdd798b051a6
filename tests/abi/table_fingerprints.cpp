// Prints the fingerprint of every interface that the host knows: "id number", one a line.

#include <iostream>

#include "host/wiring/host_tables.hpp"

int main() {
  for (const auto& [id, fingerprint] : mortise::host::host_identity().tables)
    std::cout << id << ' ' << fingerprint << '\n';
}
