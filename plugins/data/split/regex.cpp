#include "regex.hpp"

#include <pcre2.h>

#include <mortise/error.hpp>
#include <string>

#include "../bpe/pool.hpp"
#include "../unicode/tables.hpp"
#include "dialect.hpp"

namespace mortise::split {

namespace {

// A match takes a few dozen steps; this many mean a pattern that backtracks without end.
constexpr std::uint32_t kMostSteps = 10'000'000;
constexpr std::uint32_t kMostDepth = 1'000'000;
constexpr std::uint32_t kMostHeapKib = 64 * 1024;
constexpr std::size_t kFirstStack = 32 * 1024;
constexpr std::size_t kMostStack = 16 * 1024 * 1024;

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Code = std::unique_ptr<pcre2_code, Freed<pcre2_code_free>>;

std::string message_of(int error) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(error, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

// What a thread needs to match.
struct Workplace {
  std::unique_ptr<pcre2_match_data, Freed<pcre2_match_data_free>> data{
      pcre2_match_data_create(1, nullptr)};
  std::unique_ptr<pcre2_match_context, Freed<pcre2_match_context_free>> context{
      pcre2_match_context_create(nullptr)};
  std::unique_ptr<pcre2_jit_stack, Freed<pcre2_jit_stack_free>> stack{
      pcre2_jit_stack_create(kFirstStack, kMostStack, nullptr)};

  Workplace() {
    if (!data || !context || !stack) throw std::bad_alloc();
    pcre2_set_match_limit(context.get(), kMostSteps);
    pcre2_set_depth_limit(context.get(), kMostDepth);
    pcre2_set_heap_limit(context.get(), kMostHeapKib);
    pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
  }
};

}  // namespace

struct Regex::Compiled {
  std::string pattern;
  Code code;
  bpe::Pool<Workplace> workplaces;
};

struct Regex::Search::State {
  const Compiled& compiled;
  std::string_view text;
  bpe::Pool<Workplace>::Loan workplace;
};

Regex::Regex(std::string_view pattern, Dialect dialect) : compiled_(std::make_unique<Compiled>()) {
  compiled_->pattern = pattern;
  const std::string translated = for_pcre2(pattern, dialect);
  const std::uint32_t lines =
      dialect == Dialect::oniguruma ? PCRE2_MULTILINE : PCRE2_DOLLAR_ENDONLY;
  const std::unique_ptr<pcre2_compile_context, Freed<pcre2_compile_context_free>> context(
      pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  std::size_t where = 0;
  compiled_->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()),
                                      translated.size(), PCRE2_UTF | PCRE2_UCP | lines, &error,
                                      &where, context.get()));
  if (!compiled_->code)
    throw DataError("the regular expression '" + compiled_->pattern + "' cannot be compiled: " +
                    message_of(error) + ", near its character " + std::to_string(where));
  // Without a JIT for this machine, matching is slower and says the same.
  pcre2_jit_compile(compiled_->code.get(), PCRE2_JIT_COMPLETE);
}

Regex::Regex(Regex&&) noexcept = default;
Regex::~Regex() = default;

Regex::Search Regex::search(std::string_view text) const {
  return Search(std::unique_ptr<Search::State>(
      new Search::State{*compiled_, text, compiled_->workplaces.borrow()}));
}

Regex::Search::Search(std::unique_ptr<State> state) : state_(std::move(state)) {}
Regex::Search::Search(Search&&) noexcept = default;
Regex::Search::~Search() = default;

std::optional<Regex::Match> Regex::Search::next(std::size_t at) {
  const std::string_view text = state_->text;
  pcre2_match_data* const data = state_->workplace->data.get();
  for (std::size_t from = at; from <= text.size();) {
    const int found =
        pcre2_match(state_->compiled.code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()),
                    text.size(), from, PCRE2_NO_UTF_CHECK, data, state_->workplace->context.get());
    if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (found < 0)
      throw DataError("the regular expression '" + state_->compiled.pattern +
                      "' costs too much on this text: " + message_of(found));
    const std::size_t* ends = pcre2_get_ovector_pointer(data);
    if (ends[1] > ends[0] || ends[0] > at) return Match{ends[0], ends[1]};
    if (from == text.size()) return std::nullopt;
    from += unicode::character_at(text.data() + from).size;
  }
  return std::nullopt;
}

}  // namespace mortise::split
