#pragma once

// The Unigram model: of all ways to cut a text into pieces, the one with the largest sum of scores
// (Kudo 2018), with the results of Hugging Face's `tokenizers`, ties included.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byte_trie.hpp"

namespace mortise::unigram {

// A piece of the vocabulary; its id is its place in the list.
struct Piece {
  std::string text;
  double score;
};

// What an encode() needs besides the model; one for each thread, reused from text to text.
struct Workspace {
  struct Node {
    double score;         // of the best path that ends here
    std::uint32_t begin;  // where its last piece begins, kNone when no path ends here
    std::uint32_t piece;
  };
  std::vector<Node> nodes;
  std::vector<std::uint32_t> path;  // ends of pieces, last first
};

// Types:   text is valid UTF-8.
// Errors:  DataError for a vocabulary that is none. Error(failed) for a character without a piece
//          in a model without an unknown piece.
// Threads: immutable; any thread may call, each with a workspace of its own.
class Unigram {
 public:
  // `byte_fallback`: text without a piece becomes the pieces <0x00> to <0xFF>, if all are there.
  Unigram(const std::vector<Piece>& pieces, std::optional<std::uint32_t> unknown,
          bool byte_fallback);

  // Appends the ids of `text`. Neighbours without a piece are one unknown.
  // Linear in the text; memory is that of the longest stretch in which pieces overlap.
  void encode(std::string_view text, Workspace& work, std::vector<std::uint32_t>& ids) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  class Cut;

  std::uint32_t id_of(std::string_view text) const { return trie_.find(text); }
  void append_unknown(std::string_view text, std::vector<std::uint32_t>& ids) const;

  ByteTrie trie_;
  std::vector<double> scores_;
  std::optional<std::uint32_t> unknown_;
  double unknown_score_;
  std::vector<std::uint32_t> bytes_;  // 256 ids, or none
};

}  // namespace mortise::unigram
