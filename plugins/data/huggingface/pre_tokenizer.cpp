#include "pre_tokenizer.hpp"

#include <array>

#include "steps.hpp"

namespace mortise::huggingface {

namespace {

constexpr std::size_t kWordsAtOnce = 256;
constexpr std::size_t kKeptBytes = std::size_t(1) << 24;  // of buffers that wait for the next text

void flatten(const Json& section, std::vector<Json>& leaves, int depth = 0) {
  if (section.type() != "Sequence") {
    leaves.push_back(section);
    return;
  }
  if (depth == 16) section.refuse("is nested too deeply");
  for (const Json& item : section.at("pretokenizers").items()) flatten(item, leaves, depth + 1);
}

Behavior behavior_of(const Json& name) {
  if (name.text() == "Removed") return Behavior::removed;
  if (name.text() == "Isolated") return Behavior::isolated;
  if (name.text() == "MergedWithPrevious") return Behavior::merged_with_previous;
  if (name.text() == "MergedWithNext") return Behavior::merged_with_next;
  if (name.text() == "Contiguous") return Behavior::contiguous;
  name.refuse_unsupported("the behavior " + in_quotes(name.text()));
}

std::unique_ptr<Step> regex_step(std::string_view regex, Behavior behavior, bool invert) {
  if (behavior == Behavior::isolated ||
      (behavior == Behavior::removed && invert && split::is_known_to_cover_all(regex)))
    return cut_step(split::splitter_for(regex, split::Dialect::oniguruma));
  return match_step(regex_matcher(regex, split::Dialect::oniguruma), behavior, invert);
}

void add_split(const Json& split, Steps& steps) {
  const Json pattern = split.at("pattern");
  const Behavior behavior = behavior_of(split.at("behavior"));
  const bool invert = split.flag("invert", false);
  if (const auto literal = pattern.find("String")) {
    if (literal->text().empty()) literal->refuse("is empty: it cuts nowhere");
    steps.push_back(match_step(literal_matcher(literal->text()), behavior, invert));
    return;
  }
  steps.push_back(pattern.at("Regex").made_by(
      [&] { return regex_step(pattern.at("Regex").text(), behavior, invert); }));
}

void add_metaspace(const Json& metaspace, Steps& steps) {
  const Json replacement = metaspace.at("replacement");
  const auto named = metaspace.find("prepend_scheme");
  Prepend prepend = Prepend::always;
  if (named) {
    if (named->text() == "first")
      prepend = Prepend::first;
    else if (named->text() == "never")
      prepend = Prepend::never;
    else if (named->text() != "always")
      named->refuse_unsupported(in_quotes(named->text()));
  }
  if (!metaspace.flag("add_prefix_space", true)) {
    if (named && prepend != Prepend::never)
      named->refuse("is " + in_quotes(named->text()) + ", but add_prefix_space is false");
    prepend = Prepend::never;
  }
  steps.push_back(metaspace_step(replacement.character(), prepend));
  if (metaspace.flag("split", true))
    steps.push_back(
        match_step(literal_matcher(replacement.character()), Behavior::merged_with_next, false));
}

void add_byte_level(const Json& byte_level, bool is_last, Steps& steps) {
  if (byte_level.flag("add_prefix_space", true)) steps.push_back(prefix_blank_step());
  if (byte_level.flag("use_regex", true)) steps.push_back(gpt2_step());
  if (!is_last) steps.push_back(to_letters_step());
}

void add(const Json& leaf, bool is_last, Steps& steps) {
  const std::string_view type = leaf.type();
  if (type == "ByteLevel") return add_byte_level(leaf, is_last, steps);
  if (type == "Split") return add_split(leaf, steps);
  if (type == "Metaspace") return add_metaspace(leaf, steps);
  if (type == "Digits") {
    const Behavior behavior =
        leaf.flag("individual_digits", false) ? Behavior::isolated : Behavior::contiguous;
    steps.push_back(match_step(number_matcher(), behavior, false));
  } else if (type == "Punctuation") {
    const auto behavior = leaf.find("behavior");
    steps.push_back(match_step(punctuation_matcher(),
                               behavior ? behavior_of(*behavior) : Behavior::isolated, false));
  } else if (type == "Whitespace") {
    steps.push_back(match_step(regex_matcher(R"(\w+|[^\w\s]+)", split::Dialect::rust),
                               Behavior::removed, true));
  } else if (type == "WhitespaceSplit") {
    steps.push_back(match_step(white_space_matcher(), Behavior::removed, false));
  } else {
    leaf.refuse_unsupported("the pre-tokenizer " + in_quotes(type));
  }
}

void release_what_is_large(Pieces& pieces) {
  if (pieces.list.capacity() * sizeof pieces.list[0] + pieces.text.capacity() > kKeptBytes)
    pieces = Pieces();
}

}  // namespace

PreTokenizer::PreTokenizer(const std::optional<Json>& section) {
  if (!section) return;
  std::vector<Json> leaves;
  flatten(*section, leaves);
  for (const Json& leaf : leaves) {
    const bool is_last = &leaf == &leaves.back();
    if (leaf.type() == "ByteLevel") {
      if (alphabet_ == Alphabet::bytes) leaf.refuse_unsupported("a second ByteLevel");
      alphabet_ = Alphabet::bytes;
    } else if (leaf.type() == "Metaspace" && alphabet_ == Alphabet::bytes) {
      leaf.refuse_unsupported("Metaspace behind ByteLevel");  // what it puts in stands for no byte
    }
    add(leaf, is_last, steps_);
    // Whatever follows ByteLevel cuts its letters, which are bytes again at the end.
    if (is_last && alphabet_ == Alphabet::bytes && leaf.type() != "ByteLevel")
      steps_.push_back(from_letters_step());
  }
}

void PreTokenizer::cut(std::string_view text, bool at_start, Pieces& pieces,
                       const Sink& sink) const {
  if (text.empty()) return;
  if (steps_.size() == 1 && steps_.front()->splitter() != nullptr) {
    std::array<std::string_view, kWordsAtOnce> words;
    std::size_t at = 0;
    while (const std::size_t n = steps_.front()->splitter()->cut(text, at, words))
      sink({words.data(), n}, text.data() + text.size());
    return;
  }
  pieces.list.assign(1, text);
  pieces.at_start = at_start;
  const char* text_end = text.data() + text.size();
  for (const auto& step : steps_) {
    step->apply(pieces);
    if (pieces.list.empty()) return;
  }
  const char* const last = pieces.list.back().data();
  const bool is_own = last >= pieces.text.data() && last < pieces.text.data() + pieces.text.size();
  if (is_own) text_end = pieces.text.data() + pieces.text.size();
  sink(pieces.list, text_end);
  release_what_is_large(pieces);
}

}  // namespace mortise::huggingface
