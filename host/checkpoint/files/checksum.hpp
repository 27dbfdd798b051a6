#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct XXH3_state_s;

namespace mortise::host {

// XXH3 (64 bits) of bytes that come in pieces.
class Checksum {
 public:
  Checksum();
  void add(const void* bytes, std::size_t count);
  // 16 hex digits of what was added so far.
  std::string hex() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace mortise::host
