#include "host/checkpoint/files/checksum.hpp"

#include <xxhash.h>

#include <cstdio>
#include <new>

namespace mortise::host {

void Checksum::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

Checksum::Checksum() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void Checksum::add(const void* bytes, std::size_t count) {
  if (count != 0) XXH3_64bits_update(state_.get(), bytes, count);
}

std::string Checksum::hex() const {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits_digest(state_.get())));
  return digits;
}

}  // namespace mortise::host
