// Normalizers that look at one character at a time: lowercase and strip.

#include <utf8proc.h>

#include "characters.hpp"
#include "normalizer.hpp"

namespace mortise::normalizers {

namespace {

// Unicode's White_Space.
bool is_space(std::uint32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// Of a letter that has come with Unicode 16 or 17, which utf8proc does not know; else 0.
std::uint32_t lower_of_newer(std::uint32_t c) {
  if (c >= 0x10D50 && c <= 0x10D65) return c + 0x20;
  if (c >= 0x16EA0 && c <= 0x16EB8) return c + 0x1B;
  switch (c) {
    case 0xA7CB:
      return 0x264;
    case 0xA7DC:
      return 0x19B;
    case 0x1C89:
    case 0xA7CC:
    case 0xA7CE:
    case 0xA7D2:
    case 0xA7D4:
    case 0xA7DA:
      return c + 1;
    default:
      return 0;
  }
}

std::uint32_t lower_of(std::uint32_t c) {
  const std::uint32_t newer = lower_of_newer(c);
  return newer != 0 ? newer : static_cast<std::uint32_t>(utf8proc_tolower(static_cast<int>(c)));
}

class Lowercase final : public Normalizer {
 public:
  void change(std::string& text, std::size_t) const override {
    std::string out;
    out.reserve(text.size());
    for_each_character(text, [&](std::uint32_t c, std::string_view) {
      if (c < 0x80)
        out.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c));
      else if (c == 0x130)  // the only one whose lower case is two characters
        out += "i\xCC\x87";
      else
        append(out, lower_of(c));
    });
    text = std::move(out);
  }
};

class Strip final : public Normalizer {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}
  void change(std::string& text, std::size_t) const override {
    std::size_t first = 0, end = text.size();
    while (left_ && first < end) {
      const std::size_t size = character_size(text[first]);
      if (!is_space(character(text, first, size))) break;
      first += size;
    }
    while (right_ && first < end) {
      const std::size_t last = last_character(text, end);
      if (!is_space(character(text, last, end - last))) break;
      end = last;
    }
    text = text.substr(first, end - first);
  }

 private:
  static std::size_t last_character(const std::string& text, std::size_t end) {
    do --end;
    while (end != 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
    return end;
  }

  bool left_, right_;
};

}  // namespace

NormalizerPtr lowercase() { return std::make_unique<Lowercase>(); }
NormalizerPtr strip(bool left, bool right) { return std::make_unique<Strip>(left, right); }

}  // namespace mortise::normalizers
