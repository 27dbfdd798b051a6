#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <mortise/amount.hpp>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// A named map in a run file, in the order of the file: `sources: {web: {…}, code: {…}}`.
template <class T>
struct Named {
  struct Entry {
    std::string_view name;
    T value{};
  };
  std::vector<Entry> entries;
};

/// What a scalar stands for; decides how a run file may write it.
enum class Meaning { plain, path, bytes, tokens, duration, amount };

/// The enum that a member's choices name: its own, or that of its elements; int where there is
/// none.
template <class T>
struct choice_of {
  using type = std::conditional_t<std::is_enum_v<T>, T, int>;
};
template <class E>
struct choice_of<std::vector<E>> : choice_of<E> {};
template <class E, std::size_t N>
struct choice_of<std::array<E, N>> : choice_of<E> {};
template <class E>
struct choice_of<std::optional<E>> : choice_of<E> {};

template <class T>
struct Choice {
  const char* name = nullptr;
  T value{};
};

/// One setting of a component: name, member, and everything that schema, documentation, defaults
/// and parsing need. Each modifier returns a changed copy.
///
/// Types of members: bool, integers, double, std::string_view, enums (with choice), Amount,
/// std::optional, std::vector, std::array, Named, structs with settings() of their own, and
/// pointers to interfaces, which are other components. The default is the member's initialiser.
template <class Config, class T>
struct Field {
  using Element = typename choice_of<T>::type;
  const char* name;
  T Config::*member;
  const char* help = "";
  const char* unit_name = nullptr;
  const char* since_version = nullptr;
  const char* link = nullptr;
  char letter = 0;
  bool is_required = false, is_positional = false, takes_single = false;
  Meaning meaning = Meaning::plain;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double multiple = 0;
  std::array<Choice<Element>, 12> choices{};
  std::array<const char*, 6> other_names{};

  constexpr Field doc(const char* text) const {
    return with([&](Field& f) { f.help = text; });
  }
  constexpr Field required() const {
    return with([](Field& f) { f.is_required = true; });
  }
  constexpr Field at_least(double v) const {
    return with([&](Field& f) { f.low = v; });
  }
  constexpr Field at_most(double v) const {
    return with([&](Field& f) { f.high = v; });
  }
  constexpr Field between(double a, double b) const { return at_least(a).at_most(b); }
  constexpr Field multiple_of(double v) const {
    return with([&](Field& f) { f.multiple = v; });
  }
  constexpr Field unit(const char* text) const {
    return with([&](Field& f) { f.unit_name = text; });
  }
  constexpr Field since(const char* version) const {
    return with([&](Field& f) { f.since_version = version; });
  }
  /// The default is the value at another place: "run.steps", "tokenizer.vocabulary_size", ….
  constexpr Field defaults_to(const char* path) const {
    return with([&](Field& f) { f.link = path; });
  }
  constexpr Field path() const { return means(Meaning::path); }
  constexpr Field bytes() const { return means(Meaning::bytes); }
  constexpr Field tokens() const { return means(Meaning::tokens); }
  constexpr Field duration() const { return means(Meaning::duration); }
  constexpr Field amount() const { return means(Meaning::amount); }
  /// A list that also takes one bare value.
  constexpr Field single() const {
    return with([](Field& f) { f.takes_single = true; });
  }
  /// On a command line: takes what stands there without an option.
  constexpr Field positional() const {
    return with([](Field& f) { f.is_positional = true; });
  }
  constexpr Field short_name(char c) const {
    return with([&](Field& f) { f.letter = c; });
  }
  /// Names of this setting elsewhere. They are hints in an error, never accepted.
  template <class... Names>
  constexpr Field known_as(Names... names) const {
    return with([&](Field& f) { f.other_names = {names...}; });
  }
  constexpr Field choice(const char* text, Element value = {}) const {
    return with([&](Field& f) {
      std::size_t n = 0;
      while (f.choices[n].name != nullptr) ++n;
      f.choices[n] = {text, value};
    });
  }

 private:
  template <class F>
  constexpr Field with(F change) const {
    Field f = *this;
    change(f);
    return f;
  }
  constexpr Field means(Meaning m) const {
    return with([&](Field& f) { f.meaning = m; });
  }
};

template <class Config, class T>
constexpr Field<Config, T> field(const char* name, T Config::*member) {
  return {name, member};
}
/// The settings of a Config: `static constexpr auto settings() { return fields(field(…), …); }`.
template <class... F>
constexpr auto fields(F... f) {
  return std::make_tuple(f...);
}

/// A rule between two fields; `static constexpr auto rules() { return rules_of(less_than("a",
/// "b")); }`.
struct Rule {
  const char *kind, *a, *b;
};
constexpr Rule less_than(const char* a, const char* b) { return {"less_than", a, b}; }
constexpr Rule multiple_of(const char* a, const char* b) { return {"multiple_of", a, b}; }
constexpr Rule requires_setting(const char* a, const char* b) { return {"requires", a, b}; }
template <class... R>
constexpr std::array<Rule, sizeof...(R)> rules_of(R... r) {
  return {r...};
}

}  // namespace mortise
