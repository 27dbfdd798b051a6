#pragma once

// What packed files and their side files say about a data set.

#include <mortise/data/dataset.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../token_files/token_file.hpp"
#include "hold_out.hpp"
#include "token_windows.hpp"

namespace mortise::windows {

// The facts of all files together; what one of them does not say is not known.
// Errors: DataError for a side file that belongs to another file, and for files of different
//         tokenizers.
DatasetInfo facts_of(const std::vector<token_files::TokenFile>& files);

// Narrows the facts of whole files to what `windows` reads of them. Whole documents seldom give the
// share that was asked for: the answer tells the user when it is less than half or more than twice
// as much, else it is empty.
std::string narrow(DatasetInfo& info, const TokenWindows& windows, Part part,
                   const std::optional<Amount>& hold_out);

}  // namespace mortise::windows
