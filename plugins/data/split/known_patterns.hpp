#pragma once

// Patterns that have a scanner of their own.

#include <memory>
#include <string_view>

#include "splitter.hpp"

namespace mortise::split {

std::unique_ptr<Splitter> gpt2_scanner();
std::unique_ptr<Splitter> llama3_scanner();
std::unique_ptr<Splitter> cl100k_scanner();
std::unique_ptr<Splitter> qwen2_scanner();
std::unique_ptr<Splitter> deepseek_digits_scanner();
std::unique_ptr<Splitter> deepseek_east_asian_scanner();
std::unique_ptr<Splitter> deepseek_words_scanner();

struct KnownPattern {
  std::string_view regex;
  std::unique_ptr<Splitter> (*scanner)();
  bool covers_all;         // there is nothing between two matches
  bool rust_only = false;  // Oniguruma would read it differently
};

inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

inline constexpr KnownPattern kKnownPatterns[] = {
    {kGpt2Pattern, gpt2_scanner, true},
    // the same, as tiktoken writes it
    {R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)",
     gpt2_scanner, true},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     llama3_scanner, true},
    {R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)",
     cl100k_scanner, true, true},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     qwen2_scanner, true},
    {R"(\p{N}{1,3})", deepseek_digits_scanner, false},
    {"[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", deepseek_east_asian_scanner, false},
    {"[!\"#$%&'()*+,\\-./"
     ":;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"
     " ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
     deepseek_words_scanner, false},
};

}  // namespace mortise::split
