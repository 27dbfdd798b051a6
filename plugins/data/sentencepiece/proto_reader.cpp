#include "proto_reader.hpp"

#include <mortise/error.hpp>
#include <string>

namespace mortise::sentencepiece_model {

bool ProtoReader::next(Field& field) {
  if (rest_.empty()) return false;
  const std::uint64_t tag = varint();
  const auto wire = static_cast<unsigned>(tag & 7);
  if (tag >> 3 == 0 || tag >> 32 != 0 || !(wire <= 2 || wire == 5))
    throw DataError(std::string(what_) + ": a field of number " + std::to_string(tag >> 3) +
                    " and type " + std::to_string(wire) +
                    ", expected one of a SentencePiece model");
  field = {static_cast<std::uint32_t>(tag >> 3), static_cast<Wire>(wire), 0, {}};
  switch (field.wire) {
    case Wire::varint:
      field.value = varint();
      break;
    case Wire::fixed64:
      field.value = fixed(8);
      break;
    case Wire::fixed32:
      field.value = fixed(4);
      break;
    case Wire::bytes:
      field.bytes = take(varint());
      break;
  }
  return true;
}

std::uint64_t ProtoReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift != 70; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1)[0]);
    value |= std::uint64_t(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  throw DataError(std::string(what_) + ": a number of more than 10 bytes");
}

std::uint64_t ProtoReader::fixed(std::size_t size) {
  std::uint64_t value = 0;
  const std::string_view bytes = take(size);
  for (std::size_t i = 0; i != size; ++i)
    value |= std::uint64_t(static_cast<unsigned char>(bytes[i])) << 8 * i;
  return value;
}

std::string_view ProtoReader::take(std::uint64_t size) {
  if (size > rest_.size())
    throw DataError(std::string(what_) + " is cut off: expected " + std::to_string(size) +
                    " more bytes, got " + std::to_string(rest_.size()));
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

}  // namespace mortise::sentencepiece_model
