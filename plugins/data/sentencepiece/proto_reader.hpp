#pragma once

// Walks over the fields of a message in Protocol Buffers' wire format.

#include <cstdint>
#include <string_view>

namespace mortise::sentencepiece_model {

class ProtoReader {
 public:
  enum class Wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
  struct Field {
    std::uint32_t number;
    Wire wire;
    std::uint64_t value;     // of varint, fixed64, fixed32
    std::string_view bytes;  // of bytes
  };

  // `what`: of what message, for errors.
  ProtoReader(std::string_view message, const char* what) : rest_(message), what_(what) {}

  // False at the end of the message.
  // Errors: DataError for bytes that are no fields.
  bool next(Field& field);

 private:
  std::uint64_t varint();
  std::uint64_t fixed(std::size_t size);
  std::string_view take(std::uint64_t size);

  std::string_view rest_;
  const char* what_;
};

}  // namespace mortise::sentencepiece_model
