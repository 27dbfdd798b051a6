#include "dialect.hpp"

#include <algorithm>
#include <mortise/error.hpp>

namespace mortise::split {

namespace {

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

class Translation {
 public:
  Translation(std::string_view pattern, Dialect dialect) : pattern_(pattern), dialect_(dialect) {}

  std::string text() {
    while (at_ != pattern_.size()) {
      if (here() == '\\') {
        escape();
      } else if (in_class_) {
        inside_class();
      } else {
        outside_class();
      }
    }
    return out_;
  }

 private:
  char here(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  void copy(std::size_t n) {
    out_ += pattern_.substr(at_, n);
    at_ = std::min(at_ + n, pattern_.size());
  }
  void replace(std::size_t n, std::string_view by) {
    out_ += by;
    at_ += n;
  }
  [[noreturn]] void refuse(std::size_t n) const {
    throw DataError("the regular expression '" + std::string(pattern_) + "' has '" +
                    std::string(pattern_.substr(at_, n)) + "' at its byte " + std::to_string(at_) +
                    ", which is not supported");
  }

  void outside_class() {
    switch (here()) {
      case '[':
        in_class_ = true;
        copy(1);
        if (here() == '^') copy(1);
        if (here() == ']') copy(1);
        return;
      case '(':
        return group();
      case '}':
        // Oniguruma repeats what is counted, where the others forbid it to give anything back.
        if (here(1) == '+' && dialect_ == Dialect::oniguruma) refuse(2);
        return copy(1);
      default:
        return copy(1);
    }
  }

  // Groups, look-around and case only: other switches mean different things.
  void group() {
    if (here(1) == '*') refuse(2);  // a verb of PCRE2
    if (here(1) != '?') return copy(1);
    if (here(2) == '<') {
      if (here(3) != '=' && here(3) != '!') refuse(4);
      return copy(4);
    }
    if (std::string_view(":=!>").find(here(2)) != std::string_view::npos) return copy(3);
    std::size_t n = 2;
    while (here(n) == 'i' || here(n) == '-') ++n;
    if (n == 2 || (here(n) != ':' && here(n) != ')')) refuse(n + 1);
    copy(n + 1);
  }

  void inside_class() {
    if (here() == '[' || (here() == '&' && here(1) == '&')) refuse(2);
    if (dialect_ == Dialect::rust && ((here() == '-' && here(1) == '-') || here() == '~') &&
        here(1) == here())
      refuse(2);
    if (here() == ']') in_class_ = false;
    copy(1);
  }

  void escape() {
    const std::string word = dialect_ == Dialect::oniguruma
                                 ? R"(\p{Alphabetic}\p{M}\p{N}\p{Pc})"
                                 : R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D})";
    switch (const char c = here(1)) {
      case 's':
        return replace(2, R"(\p{White_Space})");
      case 'S':
        return replace(2, R"(\P{White_Space})");
      case 'd':
        return replace(2, R"(\p{Nd})");
      case 'D':
        return replace(2, R"(\P{Nd})");
      case 'w':
        return replace(2, in_class_ ? word : "[" + word + "]");
      case 'W':
        if (in_class_) refuse(2);
        return replace(2, "[^" + word + "]");
      case 'v':
        return replace(2, R"(\x{0B})");
      case 'u':
        if (pattern_.size() - at_ < 6 ||
            !std::all_of(&pattern_[at_ + 2], &pattern_[at_] + 6, is_letter_or_digit))
          refuse(6);
        out_ += "\\x{" + std::string(pattern_.substr(at_ + 2, 4)) + "}";
        at_ += 6;
        return;
      case 'p':
      case 'P':
      case 'x':
        if (here(2) != '{') return copy(2);
        if (pattern_.find('}', at_) == std::string_view::npos) refuse(3);
        return copy(pattern_.find('}', at_) - at_ + 1);
      case 'r':
      case 'n':
      case 't':
      case 'f':
      case 'a':
      case 'e':
        return copy(2);
      case 'A':
      case 'z':
        if (in_class_) refuse(2);
        return copy(2);
      default:
        if (c == '\0' || is_letter_or_digit(c)) refuse(2);
        return copy(2);
    }
  }

  std::string_view pattern_;
  Dialect dialect_;
  std::string out_;
  std::size_t at_ = 0;
  bool in_class_ = false;
};

}  // namespace

std::string for_pcre2(std::string_view pattern, Dialect dialect) {
  return Translation(pattern, dialect).text();
}

}  // namespace mortise::split
