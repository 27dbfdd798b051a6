#pragma once

#include "../normalizers/normalizer.hpp"
#include "json.hpp"

namespace mortise::huggingface {

// The section `normalizer` of a tokenizer.json.
// Errors: DataError for one that is not supported, naming it.
normalizers::NormalizerPtr normalizer_of(const Json& normalizer);

}  // namespace mortise::huggingface
