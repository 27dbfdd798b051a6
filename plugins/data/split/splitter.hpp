#pragma once

// Cuts text into the words that byte-pair encoding works on.

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace mortise::split {

// Threads: immutable after construction; any thread may call.
class Splitter {
 public:
  virtual ~Splitter() = default;

  // Writes the next pieces of `text`, valid UTF-8, from `at` on, until `pieces` is full or the text
  // ends, moves `at` behind them and returns how many they are: 0 only at the end. Pieces follow
  // each other without gaps and are not empty. `at` is 0 or what the last call left.
  // Errors: DataError where a regular expression needs more time or memory than it may have.
  virtual std::size_t cut(std::string_view text, std::size_t& at,
                          std::span<std::string_view> pieces) const = 0;
};

// Whose regular expressions: those of Hugging Face's `tokenizers` are Oniguruma's, those of
// tiktoken the ones of Rust's crates regex and fancy-regex.
enum class Dialect { oniguruma, rust };

// Cuts at the matches of `regex`: each match is a piece, and so is what lies between two. A pattern
// that is known letter by letter (those of GPT-2, cl100k, Llama 3, Qwen 2, DeepSeek) gets a scanner
// written for it, any other one PCRE2.
// Errors: DataError for a pattern that cannot be compiled or that PCRE2 would read differently.
std::unique_ptr<Splitter> splitter_for(std::string_view regex, Dialect dialect);

// Whether each character of any text belongs to a match of `regex`. Known of known patterns only.
bool is_known_to_cover_all(std::string_view regex);

}  // namespace mortise::split
