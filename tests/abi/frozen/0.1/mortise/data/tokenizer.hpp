#pragma once

#include <mortise/c/tokenizer.h>

#include <cstdint>
#include <mortise/kit/structs.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// A token with a meaning of its own. Known names: `end_of_document`, `begin_of_document`,
/// `padding`, `unknown`.
struct SpecialToken {
  std::string name{};
  std::int64_t id = 0;
};

/// The ids of several texts, one after the other; text i ends before `ends[i]`.
struct EncodedBatch {
  std::vector<std::uint32_t> ids{};
  std::vector<std::int64_t> ends{};
};

/// Turns text into token ids and back.
///
/// Types:   text is UTF-8; what happens to invalid bytes is the tokenizer's documented choice,
///          never a crash. Ids are in [0, vocabulary_size).
/// Errors:  decode of an id out of range: Error(bad_argument) naming the id.
/// Threads: immutable after construction; any thread may call.
/// Ranks:   local; equal settings give equal ids on every rank.
class Tokenizer : public Interface {
 public:
  /// The ids of `text`. Adds no special tokens; an empty text has none.
  virtual std::vector<std::uint32_t> encode(std::string_view text) const = 0;
  /// The text of `ids`; special tokens have no text.
  virtual std::string decode(std::span<const std::uint32_t> ids) const = 0;
  /// One more than the largest id, special tokens included.
  virtual std::int64_t vocabulary_size() const = 0;
  virtual std::vector<SpecialToken> special_tokens() const = 0;
  /// Names what the ids mean: equal texts exactly when every text gives equal ids. Stands in the
  /// side file of packed data, so it must not change between releases without cause.
  virtual std::string fingerprint() const = 0;
  /// encode() of each text; override it where that is faster.
  virtual EncodedBatch encode_batch(const std::vector<std::string_view>& texts) const {
    EncodedBatch batch;
    for (const std::string_view text : texts) {
      const std::vector<std::uint32_t> ids = encode(text);
      batch.ids.insert(batch.ids.end(), ids.begin(), ids.end());
      batch.ends.push_back(std::int64_t(batch.ids.size()));
    }
    return batch;
  }
};

namespace kit {
template <>
struct members<SpecialToken> {
  MORTISE_MEMBERS(SpecialToken, mt_special_token);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(name), MORTISE_MEMBER(id)};
};
template <>
struct members<EncodedBatch> {
  MORTISE_MEMBERS(EncodedBatch, mt_encoded_batch);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(ids), MORTISE_MEMBER(ends)};
};
}  // namespace kit

template <>
class Remote<Tokenizer> : public kit::RemoteBase<Tokenizer, mt_tokenizer_v1> {
 public:
  static constexpr const char* id = "mortise/tokenizer/1";
  using Methods =
      kit::Methods<&Tokenizer::encode, &Tokenizer::decode, &Tokenizer::vocabulary_size,
                   &Tokenizer::special_tokens, &Tokenizer::fingerprint, &Tokenizer::encode_batch>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::vector<std::uint32_t> encode(std::string_view text) const override {
    return call(&Table::encode, &Tokenizer::encode, text);
  }
  std::string decode(std::span<const std::uint32_t> ids) const override {
    return call(&Table::decode, &Tokenizer::decode, ids);
  }
  std::int64_t vocabulary_size() const override {
    return call(&Table::vocabulary_size, &Tokenizer::vocabulary_size);
  }
  std::vector<SpecialToken> special_tokens() const override {
    return call(&Table::special_tokens, &Tokenizer::special_tokens);
  }
  std::string fingerprint() const override {
    return call(&Table::fingerprint, &Tokenizer::fingerprint);
  }
  EncodedBatch encode_batch(const std::vector<std::string_view>& texts) const override {
    return call(&Table::encode_batch, &Tokenizer::encode_batch, texts);
  }
};

}  // namespace mortise
