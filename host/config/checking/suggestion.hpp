#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mortise::host {

// Number of single-character edits (insert, delete, replace, swap of neighbours) between two
// UTF-8 texts; `-` and upper case count as `_` and lower case.
int edit_distance(std::string_view a, std::string_view b);

// The candidate that is nearest to `word` if it is near enough to be meant, else "".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// `text` with every character outside ASCII as <U+XXXX>, so that look-alikes can be told apart.
std::string visible(std::string_view text);

// `text` on one line: control characters as <U+XXXX>, the rest as it is.
std::string one_line(std::string_view text);

// "a, b, c", with "…" past `limit` names.
std::string list_of(const std::vector<std::string>& names, std::size_t limit = 12);

// Why `name` cannot be a free name (of a data set, a run): "" when it can. With `dots`, inner
// dots are allowed.
std::string judge_name(std::string_view name, bool dots);

}  // namespace mortise::host
