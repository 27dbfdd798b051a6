#pragma once

// Writes SentencePiece models (.model, sentencepiece_model.proto) for tests.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace mortise::tests {

inline std::string proto_varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

inline std::string proto_number(std::uint32_t field, std::uint64_t value) {
  return proto_varint(field << 3) + proto_varint(value);
}

inline std::string proto_bytes(std::uint32_t field, std::string_view bytes) {
  return proto_varint(field << 3 | 2) + proto_varint(bytes.size()) + std::string(bytes);
}

inline std::string proto_float(std::uint32_t field, float value) {
  std::string bytes = proto_varint(field << 3 | 5) + std::string(sizeof value, '\0');
  std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
  return bytes;
}

enum class PieceType { normal = 1, unknown = 2, control = 3, byte = 6 };

inline std::string model_piece(std::string_view text, float score,
                               PieceType type = PieceType::normal) {
  return proto_bytes(
      1, proto_bytes(1, text) + proto_float(2, score) + proto_number(3, std::uint64_t(type)));
}

// A byte-pair model; its normalizer leaves the text as it is and puts a blank in front.
// Pieces: <unk> 0, <s> 1, </s> 2, bytes 3-258 (without `byte_fallback`: words that no text has),
// then ▁ 259, a 260, b 261, h 262, i 263, ▁h 264, ▁hi 265, ▁▁ 266, hi 267, ▁a 268.
inline std::string small_model(bool byte_fallback, std::string_view charsmap = {}) {
  std::string model = model_piece("<unk>", 0, PieceType::unknown) +
                      model_piece("<s>", 0, PieceType::control) +
                      model_piece("</s>", 0, PieceType::control);
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (unsigned i = 0; i != 256; ++i) {
    const std::string number{digits[i >> 4], digits[i & 15]};
    model += byte_fallback ? model_piece("<0x" + number + ">", 0, PieceType::byte)
                           : model_piece("qq" + number, -1000);
  }
  float score = -100;
  for (const char* one : {"\u2581", "a", "b", "h", "i"}) model += model_piece(one, --score);
  score = 0;
  for (const char* more : {"\u2581h", "\u2581hi", "\u2581\u2581", "hi", "\u2581a"})
    model += model_piece(more, --score);
  constexpr std::uint64_t kBpe = 2;
  const std::string trainer = proto_number(3, kBpe) + proto_number(35, byte_fallback);
  const std::string normalizer = proto_bytes(1, "identity") +
                                 (charsmap.empty() ? "" : proto_bytes(2, charsmap)) +
                                 proto_number(3, 1) + proto_number(4, 0) + proto_number(5, 1);
  return model + proto_bytes(2, trainer) + proto_bytes(3, normalizer);
}

}  // namespace mortise::tests
