#include "utf8.hpp"

namespace mortise::encoding {

namespace {

// Length of a sequence and the range of its second byte (Unicode 15, table 3-7).
struct Lead {
  std::size_t size;
  unsigned char low = 0x80, high = 0xBF;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {0};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

}  // namespace

Utf8Sequence utf8_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const Lead lead = lead_of(byte(0));
  if (lead.size == 0) return {Utf8::invalid, 1};
  for (std::size_t i = 1; i != lead.size; ++i) {
    if (at + i == text.size()) return {Utf8::incomplete, i};
    const unsigned char low = i == 1 ? lead.low : 0x80, high = i == 1 ? lead.high : 0xBF;
    if (byte(i) < low || byte(i) > high) return {Utf8::invalid, i};
  }
  return {Utf8::valid, lead.size};
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0; at != text.size();) {
    const Utf8Sequence sequence = utf8_at(text, at);
    valid += sequence.kind == Utf8::valid ? text.substr(at, sequence.size) : kReplacement;
    at += sequence.size;
  }
  return valid;
}

}  // namespace mortise::encoding
