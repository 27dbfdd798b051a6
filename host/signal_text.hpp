#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mortise::host {

// A text that a signal handler can build: it allocates nothing, what does not fit is left out.
class SignalText {
 public:
  SignalText& add(std::string_view text) {
    const std::size_t fits = std::min(text.size(), sizeof data_ - size_);
    std::memcpy(data_ + size_, text.data(), fits);
    size_ += fits;
    return *this;
  }
  SignalText& add(std::int64_t number) {
    char digits[20];
    std::size_t at = sizeof digits;
    for (std::uint64_t rest = std::uint64_t(number < 0 ? -number : number);
         at == sizeof digits || rest != 0; rest /= 10)
      digits[--at] = char('0' + rest % 10);
    return add(number < 0 ? "-" : "").add(std::string_view(digits + at, sizeof digits - at));
  }
  void clear() { size_ = 0; }
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  char data_[2048];
  std::size_t size_ = 0;
};

}  // namespace mortise::host
