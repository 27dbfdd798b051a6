#pragma once

// The letters by which ByteLevel writes bytes: printable ones of Latin-1 stand for themselves, the
// others for 256, 257, … (GPT-2).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mortise::huggingface {

// The letter of `byte`, as UTF-8.
std::string_view letter_of(unsigned char byte);

std::string to_letters(std::string_view bytes);
// Nothing if a character of `letters`, valid UTF-8, stands for no byte.
std::optional<std::string> from_letters(std::string_view letters);

}  // namespace mortise::huggingface
