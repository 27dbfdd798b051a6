// Steps that cut with a splitter, or write each piece anew.

#include <array>
#include <utility>

#include "../split/known_patterns.hpp"
#include "byte_letters.hpp"
#include "steps.hpp"

namespace mortise::huggingface {

namespace {

class CutStep final : public Step {
 public:
  explicit CutStep(std::unique_ptr<split::Splitter> splitter) : splitter_(std::move(splitter)) {}

  void apply(Pieces& pieces) const override {
    pieces.made.clear();
    std::array<std::string_view, 128> words;
    for (const std::string_view piece : pieces.list) {
      std::size_t at = 0;
      while (const std::size_t n = splitter_->cut(piece, at, words))
        pieces.made.insert(pieces.made.end(), words.begin(), words.begin() + n);
    }
    pieces.list.swap(pieces.made);
  }
  const split::Splitter* splitter() const override { return splitter_.get(); }

 private:
  std::unique_ptr<split::Splitter> splitter_;
};

class TextStep : public Step {
 public:
  void apply(Pieces& pieces) const final {
    std::vector<std::size_t> ends;
    pieces.made_text.clear();
    bool at_start = pieces.at_start;
    for (const std::string_view piece : pieces.list) {
      write(piece, std::exchange(at_start, false), pieces.made_text);
      ends.push_back(pieces.made_text.size());
    }
    pieces.text.swap(pieces.made_text);
    const std::string_view text = pieces.text;
    std::size_t from = 0;
    for (std::size_t i = 0; i != ends.size(); ++i) {
      pieces.list[i] = text.substr(from, ends[i] - from);
      from = ends[i];
    }
  }

 private:
  virtual void write(std::string_view piece, bool at_start, std::string& text) const = 0;
};

class PrefixBlank final : public TextStep {
  void write(std::string_view piece, bool, std::string& text) const override {
    if (piece.front() != ' ') text += ' ';
    text += piece;
  }
};

class Metaspace final : public TextStep {
 public:
  Metaspace(std::string_view replacement, Prepend prepend)
      : replacement_(replacement), prepend_(prepend) {}

 private:
  void write(std::string_view piece, bool at_start, std::string& text) const override {
    const bool is_there =
        piece.front() == ' ' || piece.substr(0, replacement_.size()) == replacement_;
    if (!is_there && (prepend_ == Prepend::always || (prepend_ == Prepend::first && at_start)))
      text += replacement_;
    for (std::size_t at = 0; at != piece.size();) {
      const std::size_t blank = std::min(piece.find(' ', at), piece.size());
      text += piece.substr(at, blank - at);
      at = blank;
      for (; at != piece.size() && piece[at] == ' '; ++at) text += replacement_;
    }
  }

  std::string replacement_;
  Prepend prepend_;
};

class ToLetters final : public TextStep {
  void write(std::string_view piece, bool, std::string& text) const override {
    for (const char c : piece) text += letter_of(static_cast<unsigned char>(c));
  }
};

class FromLetters final : public TextStep {
  void write(std::string_view piece, bool, std::string& text) const override {
    text += from_letters(piece).value();
  }
};

}  // namespace

std::unique_ptr<Step> cut_step(std::unique_ptr<split::Splitter> splitter) {
  return std::make_unique<CutStep>(std::move(splitter));
}
std::unique_ptr<Step> gpt2_step() { return cut_step(split::gpt2_scanner()); }
std::unique_ptr<Step> prefix_blank_step() { return std::make_unique<PrefixBlank>(); }
std::unique_ptr<Step> metaspace_step(std::string_view replacement, Prepend prepend) {
  return std::make_unique<Metaspace>(replacement, prepend);
}
std::unique_ptr<Step> to_letters_step() { return std::make_unique<ToLetters>(); }
std::unique_ptr<Step> from_letters_step() { return std::make_unique<FromLetters>(); }

}  // namespace mortise::huggingface
