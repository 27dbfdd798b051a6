#pragma once

namespace mortise::huggingface {

// Whether `tokenizers` counts `c` as punctuation: the symbols of ASCII, and what was punctuation in
// Unicode 8.0, whose table it has.
bool is_punctuation(char32_t c);

}  // namespace mortise::huggingface
