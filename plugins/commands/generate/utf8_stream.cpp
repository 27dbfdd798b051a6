#include "utf8_stream.hpp"

#include <algorithm>

#include "../../data/encoding/utf8.hpp"

namespace mortise::generate {

namespace {

// Where the part of `text` after `from` that must wait begins.
std::size_t complete_end(std::string_view text, std::size_t from) {
  std::size_t at = from;
  while (at < text.size()) {
    const encoding::Utf8Sequence sequence = encoding::utf8_at(text, at);
    if (sequence.kind == encoding::Utf8::incomplete) break;
    at += sequence.size;
  }
  const std::string_view sign = encoding::kReplacement;
  while (at >= from + sign.size() && text.substr(at - sign.size(), sign.size()) == sign)
    at -= sign.size();
  return at;
}

}  // namespace

std::string Utf8Stream::next(std::string_view whole) {
  const std::size_t from = std::min(done_, whole.size());
  done_ = complete_end(whole, from);
  return encoding::valid_utf8(whole.substr(from, done_ - from));
}

std::string Utf8Stream::rest(std::string_view whole) {
  const std::size_t from = std::min(done_, whole.size());
  done_ = whole.size();
  return encoding::valid_utf8(whole.substr(from));
}

}  // namespace mortise::generate
