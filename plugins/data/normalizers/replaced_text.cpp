// Normalizers that put text in: prepend, replace and replace_regex; and steps one after the other.

#include <pcre2.h>

#include <mortise/error.hpp>
#include <utility>

#include "../split/dialect.hpp"
#include "normalizer.hpp"

namespace mortise::normalizers {

namespace {

class Prepend final : public Normalizer {
 public:
  explicit Prepend(std::string content) : content_(std::move(content)) {}
  void change(std::string& text, std::size_t most) const override {
    if (!text.empty()) text.insert(0, content_);
    check_size(text, most);
  }

 private:
  std::string content_;
};

class Replace final : public Normalizer {
 public:
  Replace(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}
  void change(std::string& text, std::size_t most) const override {
    std::size_t found = text.find(from_);
    if (found == std::string::npos) return;
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    std::size_t copied = 0;
    for (; found != std::string::npos; found = text.find(from_, copied)) {
      out.append(text, copied, found - copied).append(to_);
      check_size(out, most);
      copied = found + from_.size();
    }
    out.append(text, copied);
    text = std::move(out);
  }

 private:
  std::string from_, to_;
};

struct FreePattern {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

// As for split::Regex.
constexpr std::uint32_t kMostSteps = 10'000'000;
constexpr std::uint32_t kMostHeapKib = 64 * 1024;

std::string message_of(int code) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

class ReplaceRegex final : public Normalizer {
 public:
  ReplaceRegex(std::string_view pattern, std::string to) : to_(std::move(to)) {
    int code = 0;
    std::size_t at = 0;
    const std::string translated = split::for_pcre2(pattern, split::Dialect::oniguruma);
    pattern_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                                 PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, &code, &at, nullptr));
    if (!pattern_)
      throw DataError("regular expression `" + std::string(pattern) + "`: " + message_of(code) +
                      " at byte " + std::to_string(at));
    pcre2_jit_compile(pattern_.get(), PCRE2_JIT_COMPLETE);
    limits_.reset(pcre2_match_context_create(nullptr));
    if (!limits_) throw std::bad_alloc();
    pcre2_set_match_limit(limits_.get(), kMostSteps);
    pcre2_set_heap_limit(limits_.get(), kMostHeapKib);
  }

  void change(std::string& text, std::size_t most) const override {
    if (text.empty()) return;  // nor is there an empty match
    const std::unique_ptr<pcre2_match_data, FreePattern> match(
        pcre2_match_data_create_from_pattern(pattern_.get(), nullptr));
    std::string out;
    std::size_t copied = 0;
    for (std::size_t at = 0; at <= text.size();) {
      const int found =
          pcre2_match(pattern_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at,
                      PCRE2_NO_UTF_CHECK, match.get(), limits_.get());
      if (found == PCRE2_ERROR_NOMATCH) break;
      if (found < 0) throw Error(ErrorCode::failed, "a regular expression: " + message_of(found));
      const std::size_t* const range = pcre2_get_ovector_pointer(match.get());
      const bool empty_behind_another = range[1] == copied && at != 0 && range[0] == range[1];
      if (!empty_behind_another) out.append(text, copied, range[0] - copied).append(to_);
      check_size(out, most);
      copied = range[1];
      at = range[1] > range[0] ? range[1] : next_character(text, range[1]);
    }
    if (copied == 0 && out.empty()) return;
    out.append(text, copied);
    text = std::move(out);
  }

 private:
  static std::size_t next_character(const std::string& text, std::size_t at) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    return at;
  }

  std::string to_;
  std::unique_ptr<pcre2_code, FreePattern> pattern_;
  std::unique_ptr<pcre2_match_context, FreePattern> limits_;
};

class Sequence final : public Normalizer {
 public:
  explicit Sequence(std::vector<NormalizerPtr> steps) : steps_(std::move(steps)) {}
  void change(std::string& text, std::size_t most) const override {
    for (const NormalizerPtr& step : steps_) step->change(text, most);
  }

 private:
  std::vector<NormalizerPtr> steps_;
};

}  // namespace

void check_size(const std::string& text, std::size_t most) {
  if (text.size() > most)
    throw Error(ErrorCode::failed, "a text grows to more than " + std::to_string(most) +
                                       " bytes: the tokenizer's replacements feed on each other");
}

NormalizerPtr prepend(std::string content) { return std::make_unique<Prepend>(std::move(content)); }

NormalizerPtr replace(std::string from, std::string to) {
  if (from.empty()) throw DataError("Replace: expected a pattern that is not empty");
  return std::make_unique<Replace>(std::move(from), std::move(to));
}

NormalizerPtr replace_regex(std::string_view pattern, std::string to) {
  return std::make_unique<ReplaceRegex>(pattern, std::move(to));
}

NormalizerPtr sequence(std::vector<NormalizerPtr> steps) {
  return std::make_unique<Sequence>(std::move(steps));
}

}  // namespace mortise::normalizers
