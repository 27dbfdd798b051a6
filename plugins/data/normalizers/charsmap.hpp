#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::normalizers {

// Map from beginnings of texts to replacements, as SentencePiece writes it (precompiled_charsmap):
// uint32 LE size of a double array in bytes, the double array (Darts-clone), then the replacements,
// each with a zero byte at its end.
class Charsmap {
 public:
  // Checks all that a lookup relies on, here or in the SentencePiece library.
  // Errors: DataError, saying what is wrong with it.
  explicit Charsmap(std::string bytes);

  // The replacement of the shortest key that `text` begins with.
  std::optional<std::string_view> shortest(std::string_view text) const;

 private:
  void check_units() const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace mortise::normalizers
