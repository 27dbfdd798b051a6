// Unigram as the section `model` describes it.

#include "byte_letters.hpp"
#include "model.hpp"

namespace mortise::huggingface {

namespace {

std::vector<unigram::Piece> pieces_of(const Json& vocab) {
  std::vector<unigram::Piece> pieces;
  for (const Json& piece : vocab.items()) {
    const std::vector<Json> parts = piece.items();
    pieces.push_back({std::string(parts[0].text()), parts[1].number()});
  }
  return pieces;
}

std::optional<std::uint32_t> unknown_of(const Json& model, std::size_t pieces) {
  const auto id = model.find("unk_id");
  if (!id) return std::nullopt;
  if (id->id() >= pieces)
    id->refuse("is " + std::to_string(id->id()) + ": expected less than " + std::to_string(pieces) +
               ", the number of pieces");
  return id->id();
}

class UnigramModel final : public Model {
 public:
  UnigramModel(const std::vector<unigram::Piece>& pieces, std::optional<std::uint32_t> unknown,
               bool byte_fallback, Alphabet alphabet)
      : unigram_(pieces, unknown, byte_fallback), alphabet_(alphabet) {}

  void encode(std::span<const std::string_view> words, const char*, Scratch& scratch,
              bpe::IdList& ids) const override {
    for (const std::string_view word : words) {
      scratch.ids.clear();
      if (alphabet_ == Alphabet::bytes)
        unigram_.encode(to_letters(word), scratch.unigram, scratch.ids);
      else
        unigram_.encode(word, scratch.unigram, scratch.ids);
      ids.append(scratch.ids);
    }
  }

 private:
  unigram::Unigram unigram_;
  Alphabet alphabet_;
};

}  // namespace

std::unique_ptr<Model> unigram_model(const Json& model, Alphabet alphabet) {
  const std::vector<unigram::Piece> pieces = pieces_of(model.at("vocab"));
  const auto unknown = unknown_of(model, pieces.size());
  const bool byte_fallback = model.flag("byte_fallback", false);
  return model.made_by([&]() -> std::unique_ptr<Model> {
    return std::make_unique<UnigramModel>(pieces, unknown, byte_fallback, alphabet);
  });
}

}  // namespace mortise::huggingface
