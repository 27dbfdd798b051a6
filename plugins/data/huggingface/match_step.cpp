// Cuts pieces where something matches.

#include <algorithm>

#include "../split/regex.hpp"
#include "../unicode/tables.hpp"
#include "punctuation.hpp"
#include "steps.hpp"

namespace mortise::huggingface {

namespace {

// Follows the matches from left to right.
class Parts {
 public:
  Parts(std::string_view piece, std::vector<Part>& parts) : piece_(piece), parts_(parts) {}
  void match(std::size_t begin, std::size_t end) {
    gap(begin);
    parts_.push_back({begin, end, true});
    at_ = end;
  }
  void finish() { gap(piece_.size()); }

 private:
  void gap(std::size_t to) {
    if (to != at_) parts_.push_back({at_, to, false});
    at_ = to;
  }

  std::string_view piece_;
  std::vector<Part>& parts_;
  std::size_t at_ = 0;
};

Matcher character_matcher(bool (*matches)(char32_t)) {
  return [matches](std::string_view piece, std::vector<Part>& found) {
    Parts parts(piece, found);
    for (std::size_t at = 0; at != piece.size();) {
      const unicode::Character c = unicode::character_at(piece.data() + at);
      if (matches(c.value)) parts.match(at, at + c.size);
      at += c.size;
    }
    parts.finish();
  };
}

class MatchStep final : public Step {
 public:
  MatchStep(Matcher matcher, Behavior behavior, bool invert)
      : matcher_(std::move(matcher)), behavior_(behavior), invert_(invert) {}

  void apply(Pieces& pieces) const override {
    const char* const first = pieces.list.front().data();
    pieces.made.clear();
    std::vector<Part> parts;
    for (const std::string_view piece : pieces.list) {
      parts.clear();
      matcher_(piece, parts);
      if (invert_)
        for (Part& part : parts) part.is_match = !part.is_match;
      fold(parts);
      for (const Part& part : parts)
        if (part.end != part.begin)
          pieces.made.push_back(piece.substr(part.begin, part.end - part.begin));
    }
    pieces.list.swap(pieces.made);
    if (!pieces.list.empty() && pieces.list.front().data() != first) pieces.at_start = false;
  }

 private:
  void fold(std::vector<Part>& parts) const {
    switch (behavior_) {
      case Behavior::isolated:
        return;
      case Behavior::removed:
        parts.erase(std::remove_if(parts.begin(), parts.end(),
                                   [](const Part& part) { return part.is_match; }),
                    parts.end());
        return;
      case Behavior::contiguous:
        return join(parts, [](bool is_match, bool before) { return is_match == before; });
      case Behavior::merged_with_previous:
        return join(parts, [](bool is_match, bool before) { return is_match && !before; });
      case Behavior::merged_with_next:
        std::reverse(parts.begin(), parts.end());
        join(parts, [](bool is_match, bool before) { return is_match && !before; });
        std::reverse(parts.begin(), parts.end());
        return;
    }
  }

  // Joins a part to the one before it where `joins` says so.
  template <class Joins>
  static void join(std::vector<Part>& parts, Joins joins) {
    std::size_t n = 0;
    bool before = false;
    for (const Part part : parts) {
      if (joins(part.is_match, before) && n != 0) {
        Part& last = parts[n - 1];
        last = {std::min(last.begin, part.begin), std::max(last.end, part.end), false};
      } else {
        parts[n++] = part;
      }
      before = part.is_match;
    }
    parts.resize(n);
  }

  Matcher matcher_;
  Behavior behavior_;
  bool invert_;
};

}  // namespace

Matcher literal_matcher(std::string_view literal) {
  return [literal = std::string(literal)](std::string_view piece, std::vector<Part>& found) {
    Parts parts(piece, found);
    for (std::size_t at = piece.find(literal); at != std::string_view::npos;
         at = piece.find(literal, at + literal.size()))
      parts.match(at, at + literal.size());
    parts.finish();
  };
}

Matcher regex_matcher(std::string_view pattern, split::Dialect dialect) {
  const auto regex = std::make_shared<const split::Regex>(pattern, dialect);  // a Matcher is copied
  return [regex](std::string_view piece, std::vector<Part>& found) {
    Parts parts(piece, found);
    auto search = regex->search(piece);
    for (auto match = search.next(0); match; match = search.next(match->end))
      parts.match(match->begin, match->end);
    parts.finish();
  };
}

Matcher number_matcher() {
  return character_matcher([](char32_t c) { return unicode::properties_of(c).is_number(); });
}
Matcher punctuation_matcher() { return character_matcher(is_punctuation); }
Matcher white_space_matcher() {
  return character_matcher([](char32_t c) { return unicode::properties_of(c).is_white_space(); });
}

std::unique_ptr<Step> match_step(Matcher matcher, Behavior behavior, bool invert) {
  return std::make_unique<MatchStep>(std::move(matcher), behavior, invert);
}

}  // namespace mortise::huggingface
