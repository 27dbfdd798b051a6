#include "model_check.hpp"

#include <bit>
#include <cmath>
#include <mortise/error.hpp>
#include <string>

#include "../normalizers/charsmap.hpp"
#include "proto_reader.hpp"

namespace mortise::sentencepiece_model {

namespace {

using Field = ProtoReader::Field;
using Wire = ProtoReader::Wire;

// Numbers of fields in sentencepiece_model.proto.
enum : std::uint32_t { kPieces = 1, kTrainerSpec = 2, kNormalizerSpec = 3, kDenormalizerSpec = 5 };
enum : std::uint32_t { kPieceText = 1, kPieceScore = 2 };
constexpr std::uint32_t kCharsmap = 2;

void check_piece(std::string_view message, std::size_t id) {
  ProtoReader reader(message, "a piece");
  std::string_view text;
  for (Field field; reader.next(field);) {
    if (field.number == kPieceText) text = field.bytes;
    if (field.number != kPieceScore || field.wire != Wire::fixed32) continue;
    if (!std::isfinite(std::bit_cast<float>(static_cast<std::uint32_t>(field.value))))
      throw DataError("the score of piece " + std::to_string(id) + " is no finite number");
  }
  if (text.empty()) throw DataError("piece " + std::to_string(id) + " has no text");
  if (text.find('\0') != text.npos)  // the library takes it for the end
    throw DataError("piece " + std::to_string(id) + " has a zero byte in its text");
}

void check_fields(std::string_view message, const char* what) {
  ProtoReader reader(message, what);
  for (Field field; reader.next(field);) continue;
}

void check_normalizer(std::string_view message) {
  ProtoReader reader(message, "the normalizer's part");
  for (Field field; reader.next(field);)
    if (field.number == kCharsmap && field.wire == Wire::bytes && !field.bytes.empty())
      static_cast<void>(normalizers::Charsmap(std::string(field.bytes)));
}

}  // namespace

void check_model(std::string_view model) {
  ProtoReader reader(model, "the model");
  std::size_t pieces = 0;
  for (Field field; reader.next(field);) {
    if (field.wire != Wire::bytes) continue;
    if (field.number == kPieces) check_piece(field.bytes, pieces++);
    if (field.number == kTrainerSpec) check_fields(field.bytes, "the trainer's part");
    if (field.number == kNormalizerSpec || field.number == kDenormalizerSpec)
      check_normalizer(field.bytes);
  }
  if (pieces == 0) throw DataError("no pieces: expected a SentencePiece model");
}

}  // namespace mortise::sentencepiece_model
