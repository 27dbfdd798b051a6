#pragma once

// Byte-pair encoding of words: from bytes to ids.

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "id_list.hpp"
#include "merger.hpp"
#include "pair_table.hpp"
#include "token_map.hpp"
#include "word_cache.hpp"

namespace mortise::bpe {

// Threads: immutable after construction; each thread brings a Scratch of its own.
class Encoder {
 public:
  // Appends the ids that a word has before anything merges, such as one for each byte.
  using FirstIds = std::function<void(std::string_view word, std::vector<std::uint32_t>& ids)>;

  struct Parts {
    FirstIds first_ids;
    PairTable pairs;
    // A word that stands here gets that id, whatever would merge; often empty.
    TokenMap whole_words;
  };

  // What a thread keeps between calls: the words that it has seen.
  class Scratch {
    friend class Encoder;
    WordCache cache_;
    Merger merger_;
    std::vector<std::uint32_t> word_;
  };

  explicit Encoder(Parts parts) : parts_(std::move(parts)) {}

  // Appends the ids of each of `words`, none of which is empty. All lie in one text, of which the
  // bytes before `text_end` may be read.
  void encode(std::span<const std::string_view> words, const char* text_end, Scratch& scratch,
              IdList& ids) const;

 private:
  void encode_block(std::span<const std::string_view> words, const char* text_end, Scratch& scratch,
                    IdList& ids) const;
  void encode_other(std::string_view word, Scratch& scratch, IdList& ids) const;
  std::span<const std::uint32_t> merged(std::string_view word, Scratch& scratch) const;

  Parts parts_;
};

}  // namespace mortise::bpe
