// Byte-pair encoding as the section `model` describes it.

#include <array>

#include "../unicode/tables.hpp"
#include "bpe_merges.hpp"
#include "byte_letters.hpp"
#include "model.hpp"

namespace mortise::huggingface {

namespace {

using Ids = std::vector<std::uint32_t>;
constexpr std::uint32_t kNone = UINT32_MAX;

// The ids of a word before anything merges: one for each character. One that the vocabulary lacks
// becomes the tokens of its bytes, if they are all there and asked for, or the unknown token, or
// nothing.
class FirstIds {
 public:
  FirstIds(const Json& model, const Vocabulary& vocabulary, Alphabet alphabet)
      : vocabulary_(vocabulary),
        alphabet_(alphabet),
        byte_fallback_(model.flag("byte_fallback", false)),
        fuse_unknown_(model.flag("fuse_unk", false)) {
    if (const auto token = model.find("unk_token")) {
      const auto id = vocabulary.find(token->text());
      if (!id) token->refuse("is " + in_quotes(token->text()) + ", which is not in the vocabulary");
      unknown_ = *id;
    }
    for (unsigned byte = 0; byte != 256; ++byte) {
      const char c = static_cast<char>(byte);
      bytes_[byte] =
          vocabulary
              .find(alphabet == Alphabet::bytes ? letter_of(static_cast<unsigned char>(c))
                                                : std::string_view(&c, 1))
              .value_or(kNone);
      fallback_[byte] = vocabulary.find(fallback_token(byte)).value_or(kNone);
    }
  }

  void operator()(std::string_view word, Ids& ids) const {
    Run run{ids};
    if (alphabet_ == Alphabet::bytes) {
      for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        add(bytes_[byte], letter_of(byte), run);
      }
    } else {
      for (std::size_t at = 0; at != word.size();) {
        const std::string_view c = word.substr(at, unicode::character_at(word.data() + at).size);
        add(c.size() == 1 ? bytes_[static_cast<unsigned char>(c[0])]
                          : vocabulary_.find(c).value_or(kNone),
            c, run);
        at += c.size();
      }
    }
    if (run.unknown_waits) ids.push_back(unknown_);
  }

 private:
  // An unknown token waits until it is clear that nothing is fused with it.
  struct Run {
    Ids& ids;
    bool unknown_waits = false;
  };

  static std::string fallback_token(unsigned byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    return std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">";
  }

  void add(std::uint32_t id, std::string_view character, Run& run) const {
    if (id != kNone) {
      if (run.unknown_waits) run.ids.push_back(unknown_);
      run.unknown_waits = false;
      run.ids.push_back(id);
      return;
    }
    if (byte_fallback_ && add_bytes(character, run.ids)) return;
    if (unknown_ == kNone) return;
    if (run.unknown_waits && !fuse_unknown_) run.ids.push_back(unknown_);
    run.unknown_waits = true;
  }

  bool add_bytes(std::string_view character, Ids& ids) const {
    for (const char c : character)
      if (fallback_[static_cast<unsigned char>(c)] == kNone) return false;
    for (const char c : character) ids.push_back(fallback_[static_cast<unsigned char>(c)]);
    return true;
  }

  const Vocabulary& vocabulary_;
  Alphabet alphabet_;
  bool byte_fallback_, fuse_unknown_;
  std::uint32_t unknown_ = kNone;
  std::array<std::uint32_t, 256> bytes_;
  std::array<std::uint32_t, 256> fallback_;
};

class BpeModel final : public Model {
 public:
  explicit BpeModel(bpe::Encoder::Parts parts) : encoder_(std::move(parts)) {}

  void encode(std::span<const std::string_view> words, const char* text_end, Scratch& scratch,
              bpe::IdList& ids) const override {
    encoder_.encode(words, text_end, scratch.bpe, ids);
  }

 private:
  bpe::Encoder encoder_;
};

void refuse_what_we_lack(const Json& model) {
  if (const auto dropout = model.find("dropout"))
    if (dropout->number() != 0) dropout->refuse_unsupported("merges that are left out at random");
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (const auto value = model.find(key))
      if (!value->text().empty()) value->refuse_unsupported(in_quotes(value->text()));
}

bpe::TokenMap whole_words(const Vocabulary& vocabulary, Alphabet alphabet) {
  bpe::TokenMap words(vocabulary.size());
  for (std::uint32_t id = 0; id != vocabulary.end_id(); ++id) {
    const auto token = vocabulary.token(id);
    if (!token) continue;
    if (alphabet == Alphabet::characters) {
      words.insert(*token, id);
    } else if (const auto bytes = from_letters(*token)) {
      words.insert(*bytes, id);
    }
  }
  return words;
}

}  // namespace

std::unique_ptr<Model> bpe_model(const Json& model, const Vocabulary& vocabulary,
                                 Alphabet alphabet) {
  refuse_what_we_lack(model);
  bpe::TokenMap whole;
  if (model.flag("ignore_merges", false)) whole = whole_words(vocabulary, alphabet);
  return std::make_unique<BpeModel>(bpe::Encoder::Parts{
      FirstIds(model, vocabulary, alphabet),
      bpe::PairTable(merges_of(model.at("merges"), vocabulary)), std::move(whole)});
}

}  // namespace mortise::huggingface
