#include "splitter.hpp"

#include "known_patterns.hpp"
#include "regex.hpp"

namespace mortise::split {

namespace {

class RegexSplitter final : public Splitter {
 public:
  explicit RegexSplitter(Regex regex) : regex_(std::move(regex)) {}

  std::size_t cut(std::string_view text, std::size_t& at,
                  std::span<std::string_view> pieces) const override {
    std::size_t n = 0;
    const auto push = [&](std::size_t to) {
      pieces[n++] = text.substr(at, to - at);
      at = to;
    };
    auto search = regex_.search(text);
    while (n != pieces.size() && at != text.size()) {
      const auto match = search.next(at);
      if (!match) {
        push(text.size());
        break;
      }
      if (match->begin != at) push(match->begin);
      if (n != pieces.size() && match->end != match->begin) push(match->end);
    }
    return n;
  }

 private:
  Regex regex_;
};

}  // namespace

std::unique_ptr<Splitter> splitter_for(std::string_view regex, Dialect dialect) {
  for (const KnownPattern& known : kKnownPatterns)
    if (known.regex == regex && (dialect == Dialect::rust || !known.rust_only))
      return known.scanner();
  return std::make_unique<RegexSplitter>(Regex(regex, dialect));
}

bool is_known_to_cover_all(std::string_view regex) {
  for (const KnownPattern& known : kKnownPatterns)
    if (known.regex == regex) return known.covers_all;
  return false;
}

}  // namespace mortise::split
