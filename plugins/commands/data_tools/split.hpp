#pragma once

// Cuts packed tokens in two: documents to train on, and documents that are held out.

#include <cstdint>

#include "../../data/pbin/pbin_writer.hpp"
#include "../../data/token_files/token_file.hpp"

namespace mortise::data_tools {

// Copies the tokens before `cut` into `train`, the others into `held_out`. A document that the cut
// goes through becomes two.
void split(const token_files::TokenFile& all, std::int64_t cut, pbin::PbinWriter& train,
           pbin::PbinWriter& held_out);

}  // namespace mortise::data_tools
