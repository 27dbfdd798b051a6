#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mortise::encoding {

// The bytes of `text` in base64 with padding (RFC 4648); nothing where it is none.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace mortise::encoding
