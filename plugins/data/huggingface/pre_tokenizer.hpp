#pragma once

// Cuts a text into words, by the steps of the section `pre_tokenizer`.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../split/splitter.hpp"
#include "json.hpp"
#include "model.hpp"

namespace mortise::huggingface {

// A text between two steps. The pieces are not empty and lie in the text that came in, or in
// `text`.
struct Pieces {
  std::vector<std::string_view> list;
  bool at_start = false;  // the first piece begins where the whole text begins
  std::string text;
  // What a step builds.
  std::vector<std::string_view> made;
  std::string made_text;
};

// Threads: immutable after construction.
class Step {
 public:
  virtual ~Step() = default;
  virtual void apply(Pieces& pieces) const = 0;
  // What this step consists of, if it does nothing but cut.
  virtual const split::Splitter* splitter() const { return nullptr; }
};
using Steps = std::vector<std::unique_ptr<Step>>;

// Threads: immutable after construction; each thread brings Pieces of its own.
class PreTokenizer {
 public:
  // No section: a text is one word.
  // Errors: DataError for what the section asks for and we lack.
  explicit PreTokenizer(const std::optional<Json>& section);

  Alphabet alphabet() const { return alphabet_; }

  // Hands over the words of `text`, some at a time; bytes before `text_end` may be read.
  // `at_start`: whether the whole text begins with `text`, which is valid UTF-8.
  using Sink = std::function<void(std::span<const std::string_view> words, const char* text_end)>;
  void cut(std::string_view text, bool at_start, Pieces& pieces, const Sink& sink) const;

 private:
  Steps steps_;
  Alphabet alphabet_ = Alphabet::characters;
};

}  // namespace mortise::huggingface
