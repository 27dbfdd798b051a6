#pragma once

// What gives the words of a text their ids.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "../bpe/encoder.hpp"
#include "../unigram/unigram.hpp"
#include "json.hpp"
#include "vocabulary.hpp"

namespace mortise::huggingface {

// Threads: immutable after construction; each thread brings a Scratch of its own.
class Model {
 public:
  struct Scratch {
    bpe::Encoder::Scratch bpe;
    unigram::Workspace unigram;
    std::vector<std::uint32_t> ids;
  };

  virtual ~Model() = default;
  // As bpe::Encoder::encode().
  virtual void encode(std::span<const std::string_view> words, const char* text_end,
                      Scratch& scratch, bpe::IdList& ids) const = 0;
};

// What a word consists of when it comes to the model.
enum class Alphabet {
  characters,
  bytes  // of which the vocabulary writes the ByteLevel letters
};

// The vocabulary of the section `model` of a tokenizer.json.
// Errors: DataError for a type of model that is not supported, for ids or tokens that are there
//         twice.
Vocabulary vocabulary_of(const Json& model);

// Errors: DataError for what the model asks for and we lack, merges of tokens that do not exist.
std::unique_ptr<Model> model_of(const Json& model, const Vocabulary& vocabulary, Alphabet alphabet);

std::unique_ptr<Model> bpe_model(const Json& model, const Vocabulary& vocabulary,
                                 Alphabet alphabet);
std::unique_ptr<Model> unigram_model(const Json& model, Alphabet alphabet);

// Appends all that the ids of a word depend on, in a form that does not change with the way in
// which the file is written.
void append_facts(const Json& model, const Vocabulary& vocabulary, std::string& facts);

}  // namespace mortise::huggingface
