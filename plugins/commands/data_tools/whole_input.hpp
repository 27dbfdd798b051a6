#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mortise::data_tools {

// What a command that takes one text is given: the words on the command line, all of standard input
// where they are `-`, or all of a file.
//
// Errors: ConfigError for none of them or two; DataError naming the file that cannot be read.
std::string whole_input(std::optional<std::string_view> words, std::optional<std::string_view> file,
                        const char* name);

}  // namespace mortise::data_tools
