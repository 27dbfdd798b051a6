#pragma once

// From a text to ids, by the parts of a tokenizer.json.

#include <string_view>

#include "tokenizer_file.hpp"

namespace mortise::huggingface {

// Threads: immutable after construction; each thread brings a Work of its own.
class TextEncoder {
 public:
  struct Work {
    Model::Scratch model;
    Pieces pieces;
  };

  // `parts` outlives this.
  explicit TextEncoder(const TokenizerParts& parts) : parts_(parts) {}

  // Appends the ids of `text`, any bytes.
  // Errors: Error for a text that the model or a regular expression cannot do.
  void encode(std::string_view text, Work& work, bpe::IdList& ids) const;

 private:
  void encode_valid(std::string_view text, Work& work, bpe::IdList& ids) const;
  void encode_words(std::string_view text, bool at_start, Work& work, bpe::IdList& ids) const;

  const TokenizerParts& parts_;
};

}  // namespace mortise::huggingface
