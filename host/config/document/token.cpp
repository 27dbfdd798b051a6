#include "host/config/document/token.hpp"

#include <algorithm>

namespace mortise::host {
namespace {

// Position past the closing quote of the quoted scalar at `at`, or npos.
std::size_t quoted_end(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\')
      ++i;
    else if (text[i] == quote && quote == '\'' && i + 1 < text.size() && text[i + 1] == quote)
      ++i;
    else if (text[i] == quote)
      return i + 1;
  }
  return std::string_view::npos;
}

// Skips an anchor or a tag before the scalar itself.
std::size_t skip_properties(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    at = std::min(text.find_first_of(" \t\n", at), text.size());
    at = std::min(text.find_first_not_of(" \t", at), text.size());
  }
  return at;
}

int clamp_to_line(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view token = text.substr(begin, std::min(end, text.size()) - begin);
  return std::max(1, count_characters(token.substr(0, token.find('\n'))));
}

}  // namespace

Token token_at(const Source& source, int line, int byte_column, std::string_view value) {
  const std::string_view text = source.text();
  const std::size_t begin =
      source.offset(line + 1) + static_cast<std::size_t>(std::max(byte_column, 0));
  if (begin >= text.size()) return {};
  const std::size_t at = skip_properties(text, begin);
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
    const std::size_t end = quoted_end(text, at);
    return {clamp_to_line(text, begin, end), end != std::string_view::npos};
  }
  const bool as_written = text.substr(at).starts_with(value);
  return {clamp_to_line(text, begin, as_written ? at + value.size() : begin + 1), true};
}

}  // namespace mortise::host
