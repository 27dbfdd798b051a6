// Tokenizer: a SentencePiece model (.model), through the SentencePiece library.

#include <sentencepiece_processor.h>

#include <limits>
#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>

#include "../pbin/checksum.hpp"
#include "../pbin/mapped_file.hpp"
#include "model_check.hpp"

namespace {

using mortise::field;
using sentencepiece::SentencePieceProcessor;

constexpr std::size_t kLargestModel = 256 << 20;

// Each byte of `text` that belongs to no valid UTF-8 counts as U+FFFD: so does the library.
class SentencePiece final : public mortise::Tokenizer {
 public:
  struct Config {
    std::string_view file;

    static constexpr auto settings() {
      return mortise::fields(
          field("file", &Config::file).path().required().doc("SentencePiece model, NAME.model"));
    }
  };

  explicit SentencePiece(const Config& config) {
    const mortise::pbin::MappedFile file{std::string(config.file)};
    try {
      load(file.bytes());
    } catch (const mortise::Error& e) {
      throw mortise::DataError(file.path() + " is no SentencePiece model: " + e.what());
    }
    mortise::pbin::Checksum checksum;
    checksum.add(file.bytes());
    fingerprint_ = "sentencepiece/1/" + checksum.hex128();
  }

  std::vector<std::uint32_t> encode(std::string_view text) const override {
    if (text.size() > std::size_t(std::numeric_limits<int>::max()))
      throw mortise::DataError("a text of " + std::to_string(text.size()) +
                               " bytes: the SentencePiece library takes less than 2 GiB");
    std::vector<int> ids;
    check(processor_.Encode(text, &ids), mortise::ErrorCode::failed);
    return {ids.begin(), ids.end()};
  }

  std::string decode(std::span<const std::uint32_t> ids) const override {
    for (const std::uint32_t id : ids)
      if (id >= size())
        throw mortise::Error(mortise::ErrorCode::bad_argument,
                             "id " + std::to_string(id) + " is out of range: expected 0 to " +
                                 std::to_string(size() - 1));
    std::string text;
    check(processor_.Decode(std::vector<int>(ids.begin(), ids.end()), &text),
          mortise::ErrorCode::failed);
    return text;
  }

  std::int64_t vocabulary_size() const override { return size(); }

  // The unknown piece is none of them: it stands for text, which decode() writes as the model says.
  std::vector<mortise::SpecialToken> special_tokens() const override {
    std::vector<mortise::SpecialToken> tokens;
    const auto add = [&](const char* name, int id) {
      if (id >= 0 && processor_.IsControl(id)) tokens.push_back({name, id});
    };
    add("end_of_document", processor_.eos_id());
    add("begin_of_document", processor_.bos_id());
    add("padding", processor_.pad_id());
    return tokens;
  }

  std::string fingerprint() const override { return fingerprint_; }

 private:
  static void check(const sentencepiece::util::Status& status, mortise::ErrorCode code) {
    if (!status.ok()) throw mortise::Error(code, status.message());
  }

  void load(std::string_view model) {
    if (model.size() > kLargestModel)
      throw mortise::DataError(std::to_string(model.size()) + " bytes, expected at most 256 MiB");
    mortise::sentencepiece_model::check_model(model);
    check(processor_.LoadFromSerializedProto(model), mortise::ErrorCode::bad_data);
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(processor_.GetPieceSize()); }

  SentencePieceProcessor processor_;
  std::string fingerprint_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.sentencepiece", MORTISE_VERSION,
               mortise::component<SentencePiece, mortise::Tokenizer>(
                   "sentencepiece", "a SentencePiece model (.model): BPE or Unigram"));
