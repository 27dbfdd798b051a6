#pragma once

// The steps that pre-tokenizers consist of.

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "../split/splitter.hpp"
#include "pre_tokenizer.hpp"

namespace mortise::huggingface {

// A part of a piece that matches, or lies between two matches.
struct Part {
  std::size_t begin;
  std::size_t end;
  bool is_match;
};
// Appends the parts of a piece, one after the other.
using Matcher = std::function<void(std::string_view piece, std::vector<Part>& parts)>;

Matcher literal_matcher(std::string_view literal);  // not empty
Matcher regex_matcher(std::string_view regex, split::Dialect dialect);
// Each character for itself.
Matcher number_matcher();
Matcher punctuation_matcher();
Matcher white_space_matcher();

// What becomes of a match.
enum class Behavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

enum class Prepend { always, first, never };

// `invert`: what does not match counts as match, and the other way round.
std::unique_ptr<Step> match_step(Matcher matcher, Behavior behavior, bool invert);
std::unique_ptr<Step> cut_step(std::unique_ptr<split::Splitter> splitter);
std::unique_ptr<Step> gpt2_step();
// A blank before each piece that does not begin with one.
std::unique_ptr<Step> prefix_blank_step();
std::unique_ptr<Step> metaspace_step(std::string_view replacement, Prepend prepend);
// Bytes as ByteLevel letters, and back.
std::unique_ptr<Step> to_letters_step();
std::unique_ptr<Step> from_letters_step();

}  // namespace mortise::huggingface
