#pragma once

// Input files as settings name them.

#include <string>
#include <string_view>
#include <vector>

namespace mortise::corpus {

// Paths, and patterns with `*`, `?` or `[…]` that stand for the files that match, sorted by name.
// Errors: DataError for a pattern without a match; ConfigError for an empty list.
std::vector<std::string> expand(const std::vector<std::string_view>& patterns);

// The same, where a folder stands for all files in it and below, sorted by path, without those
// that are hidden (a name that begins with a dot) and without folders that are links. `-` stands
// for standard input.
// Errors: also DataError for a folder without files, ConfigError where `-` is given twice.
std::vector<std::string> text_files(const std::vector<std::string_view>& patterns);

// The contents of `files` in a few words: "a.txt", "a.txt and 2 more".
std::string short_list(const std::vector<std::string>& files);

}  // namespace mortise::corpus
