#pragma once

#include <string_view>

namespace mortise::sentencepiece_model {

// Checks what the SentencePiece library takes on trust when it loads `model`, the bytes of a .model
// file: that it is one, that each score is a number, and that a lookup in its charsmap stays
// inside. Errors: DataError, which says what is wrong, without the name of the file.
void check_model(std::string_view model);

}  // namespace mortise::sentencepiece_model
