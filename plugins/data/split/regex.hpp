#pragma once

// A regular expression, compiled by PCRE2 and limited in what it may cost.

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "splitter.hpp"

namespace mortise::split {

// Threads: immutable after construction; any thread may search.
class Regex {
 public:
  // Errors: DataError for a pattern that cannot be compiled or that PCRE2 would read differently.
  Regex(std::string_view pattern, Dialect dialect);
  Regex(Regex&&) noexcept;
  ~Regex();

  struct Match {
    std::size_t begin;
    std::size_t end;
  };

  // Matches in one text, valid UTF-8. Threads: one caller at a time.
  class Search {
   public:
    Search(Search&&) noexcept;
    ~Search();

    // The first match at or after `at`, where the text begins or the last match ended; one without
    // characters counts only after `at`.
    // Errors: DataError where it needs more time or memory than it may have.
    std::optional<Match> next(std::size_t at);

   private:
    friend class Regex;
    struct State;
    explicit Search(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  Search search(std::string_view text) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace mortise::split
