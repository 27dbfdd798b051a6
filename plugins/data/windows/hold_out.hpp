#pragma once

// Which tokens are trained on and which are held out.

#include <cstdint>
#include <mortise/amount.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../token_files/token_file.hpp"
#include "window_settings.hpp"

namespace mortise::windows {

// A share in (0, 1) from a setting such as `5%`.
// Errors: ConfigError for other units and for what leaves nothing on one side.
double share_of(const Amount& hold_out);

// A file and the tokens [first, first + size) of it that are read.
struct Stream {
  token_files::TokenFile file;
  std::int64_t first = 0, size = 0;
};

// Where each file is cut: tokens before it are trained on, those from it on are held out. Whole
// documents are taken from the end of the last file until `share` of all tokens is reached, never
// all of them; a single document gives its tail.
std::vector<std::int64_t> cuts(const std::vector<token_files::TokenFile>& files, double share);

// The tokens of `part`. `hold_out` must be set for a part that is not all.
// Errors: ConfigError, DataError.
std::vector<Stream> streams_of(std::vector<token_files::TokenFile> files, Part part,
                               const std::optional<Amount>& hold_out);

}  // namespace mortise::windows
