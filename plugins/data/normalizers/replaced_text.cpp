// Normalizers that put text in: prepend, replace and replace_regex; and steps one after the other.

#include <pcre2.h>

#include <mortise/error.hpp>
#include <utility>

#include "normalizer.hpp"

namespace mortise::normalizers {

namespace {

class Prepend final : public Normalizer {
 public:
  explicit Prepend(std::string content) : content_(std::move(content)) {}
  void apply(std::string& text) const override {
    if (!text.empty()) text.insert(0, content_);
  }

 private:
  std::string content_;
};

class Replace final : public Normalizer {
 public:
  Replace(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}
  void apply(std::string& text) const override {
    std::size_t found = text.find(from_);
    if (found == std::string::npos) return;
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    std::size_t copied = 0;
    for (; found != std::string::npos; found = text.find(from_, copied)) {
      out.append(text, copied, found - copied).append(to_);
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
};

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
    pattern_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                 PCRE2_UTF | PCRE2_UCP | PCRE2_NO_UTF_CHECK, &code, &at, nullptr));
    if (!pattern_)
      throw DataError("regular expression `" + std::string(pattern) + "`: " + message_of(code) +
                      " at byte " + std::to_string(at));
    pcre2_jit_compile(pattern_.get(), PCRE2_JIT_COMPLETE);
  }

  void apply(std::string& text) const override {
    if (text.empty()) return;  // nor is there an empty match
    const std::unique_ptr<pcre2_match_data, FreePattern> match(
        pcre2_match_data_create_from_pattern(pattern_.get(), nullptr));
    std::string out;
    std::size_t copied = 0;
    for (std::size_t at = 0; at <= text.size();) {
      const int found = pcre2_match(pattern_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()),
                                    text.size(), at, PCRE2_NO_UTF_CHECK, match.get(), nullptr);
      if (found == PCRE2_ERROR_NOMATCH) break;
      if (found < 0) throw Error(ErrorCode::failed, "a regular expression: " + message_of(found));
      const std::size_t* const range = pcre2_get_ovector_pointer(match.get());
      const bool empty_behind_another = range[1] == copied && at != 0 && range[0] == range[1];
      if (!empty_behind_another) out.append(text, copied, range[0] - copied).append(to_);
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
};

class Sequence final : public Normalizer {
 public:
  explicit Sequence(std::vector<NormalizerPtr> steps) : steps_(std::move(steps)) {}
  void apply(std::string& text) const override {
    for (const NormalizerPtr& step : steps_) step->apply(text);
  }

 private:
  std::vector<NormalizerPtr> steps_;
};

}  // namespace

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
