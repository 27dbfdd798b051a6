#include "unigram.hpp"

#include <algorithm>
#include <cmath>
#include <mortise/error.hpp>

namespace mortise::unigram {

namespace {

constexpr double kUnknownPenalty = 10;

std::vector<std::string_view> texts_of(const std::vector<Piece>& pieces) {
  std::vector<std::string_view> texts;
  for (const Piece& piece : pieces) texts.push_back(piece.text);
  return texts;
}

std::vector<std::uint32_t> byte_pieces(const ByteTrie& trie) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::vector<std::uint32_t> ids;
  for (unsigned byte = 0; byte != 256; ++byte)
    ids.push_back(trie.find(std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">"));
  return ids;
}

std::size_t character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace

// One encode(): walks over the text and writes down what is settled as soon as no piece goes over
// the place that it has reached.
class Unigram::Cut {
 public:
  Cut(const Unigram& model, std::string_view text, Workspace& work, std::vector<std::uint32_t>& ids)
      : model_(model), text_(text), work_(work), ids_(ids) {}

  void run() {
    work_.nodes.assign(1, {0, 0, 0});
    for (std::size_t at = 0; at < text_.size();) {
      if (at == reach_ && at != begin_) settle(at);
      at += extend(at);
    }
    if (begin_ != text_.size()) settle(text_.size());
    close_unknown(text_.size());
  }

 private:
  // Tries all pieces that begin at `at`; returns the size of the character there.
  std::size_t extend(std::size_t at) {
    const double score = work_.nodes[at - begin_].score;
    const std::size_t character = std::min(character_size(text_[at]), text_.size() - at);
    bool alone = false;
    model_.trie_.prefixes(text_.substr(at), [&](std::size_t size, std::uint32_t piece) {
      offer(at, size, piece, score + model_.scores_[piece]);
      alone = alone || size == character;
    });
    if (alone) return character;
    if (!model_.unknown_)
      throw Error(ErrorCode::failed, "the Unigram model has no piece for `" +
                                         std::string(text_.substr(at, character)) +
                                         "` and no unknown piece (unk_id)");
    offer(at, character, *model_.unknown_, score + model_.unknown_score_);
    return character;
  }

  void offer(std::size_t at, std::size_t size, std::uint32_t piece, double score) {
    const std::size_t end = at + size - begin_;
    if (end >= work_.nodes.size()) work_.nodes.resize(end + 1, {0, kNone, 0});
    reach_ = std::max(reach_, at + size);
    Workspace::Node& node = work_.nodes[end];
    if (node.begin == kNone || score > node.score)
      node = {score, static_cast<std::uint32_t>(at - begin_), piece};
  }

  // Appends the best path from begin_ to `end` and begins anew there.
  void settle(std::size_t end) {
    work_.path.clear();
    for (auto at = static_cast<std::uint32_t>(end - begin_); at != 0; at = work_.nodes[at].begin)
      work_.path.push_back(at);
    std::for_each(work_.path.rbegin(), work_.path.rend(), [&](std::uint32_t at) {
      append(begin_ + work_.nodes[at].begin, work_.nodes[at].piece);
    });
    const double score = work_.nodes[end - begin_].score;
    work_.nodes.assign(1, {score, 0, 0});
    begin_ = end;
  }

  void append(std::size_t at, std::uint32_t piece) {
    if (model_.unknown_ && piece == *model_.unknown_) {
      if (!in_unknown_) unknown_begin_ = at;
      in_unknown_ = true;
      return;
    }
    close_unknown(at);
    ids_.push_back(piece);
  }

  void close_unknown(std::size_t end) {
    if (in_unknown_)
      model_.append_unknown(text_.substr(unknown_begin_, end - unknown_begin_), ids_);
    in_unknown_ = false;
  }

  const Unigram& model_;
  std::string_view text_;
  Workspace& work_;
  std::vector<std::uint32_t>& ids_;
  std::size_t begin_ = 0, reach_ = 0;  // nodes are those of the text from begin_ on
  std::size_t unknown_begin_ = 0;
  bool in_unknown_ = false;
};

Unigram::Unigram(const std::vector<Piece>& pieces, std::optional<std::uint32_t> unknown,
                 bool byte_fallback)
    : trie_(texts_of(pieces)), unknown_(unknown) {
  if (pieces.empty()) throw DataError("a Unigram model without pieces");
  if (unknown && *unknown >= pieces.size())
    throw DataError("unk_id " + std::to_string(*unknown) + " of a Unigram model with " +
                    std::to_string(pieces.size()) + " pieces: expected the id of a piece");
  double lowest = INFINITY;
  for (const Piece& piece : pieces) {
    if (!std::isfinite(piece.score))
      throw DataError("the score of the Unigram piece `" + piece.text + "` is no number");
    scores_.push_back(piece.score);
    lowest = std::min(lowest, piece.score);
  }
  unknown_score_ = lowest - kUnknownPenalty;
  if (byte_fallback) bytes_ = byte_pieces(trie_);
}

void Unigram::encode(std::string_view text, Workspace& work,
                     std::vector<std::uint32_t>& ids) const {
  Cut(*this, text, work, ids).run();
}

void Unigram::append_unknown(std::string_view text, std::vector<std::uint32_t>& ids) const {
  const std::uint32_t piece = id_of(text);
  const auto known = [&](char c) { return bytes_[static_cast<unsigned char>(c)] != kNone; };
  if (piece != kNone)
    ids.push_back(piece);
  else if (!bytes_.empty() && std::all_of(text.begin(), text.end(), known))
    for (const char c : text) ids.push_back(bytes_[static_cast<unsigned char>(c)]);
  else
    ids.push_back(*unknown_);
}

}  // namespace mortise::unigram
