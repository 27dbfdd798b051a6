#pragma once

// The JSON schema of a Config, written at compile time so that it can lie in an ELF note.

#include <mortise/settings.hpp>

namespace [[gnu::visibility("hidden")]] mortise {
namespace kit {

template <class T>
concept HasSettings = requires {
  T::settings();
};
template <class T>
concept HasRules = requires {
  T::rules();
};
template <class T>
struct is_vector : std::false_type {};
template <class E>
struct is_vector<std::vector<E>> : std::true_type {};
template <class E, std::size_t N>
struct is_vector<std::array<E, N>> : std::true_type {};
template <class T>
struct is_named : std::false_type {};
template <class E>
struct is_named<Named<E>> : std::true_type {
  using Value = E;
};
template <class T>
struct is_optional : std::false_type {};
template <class E>
struct is_optional<std::optional<E>> : std::true_type {};

struct Count {
  std::size_t size = 0;
  constexpr void put(char) { ++size; }
};
struct Pen {
  char* at;
  constexpr void put(char c) { *at++ = c; }
};

template <class Out>
constexpr void raw(Out& out, std::string_view s) {
  for (const char c : s) out.put(c);
}
template <class Out>
constexpr void quoted(Out& out, std::string_view s) {
  out.put('"');
  for (const char c : s) {
    if (c == '"' || c == '\\') out.put('\\');
    if (c == '\n') {
      raw(out, "\\n");
    } else if (static_cast<unsigned char>(c) < 0x20) {
      raw(out, "\\u00");
      out.put(c < 0x10 ? '0' : '1');
      out.put("0123456789abcdef"[c & 15]);
    } else {
      out.put(c);
    }
  }
  out.put('"');
}
template <class Out>
constexpr void integer(Out& out, std::int64_t v) {
  char digits[20] = {};
  int n = 0;
  std::uint64_t rest = v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
  if (v < 0) out.put('-');
  do {
    digits[n++] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  while (n > 0) out.put(digits[--n]);
}

// The shortest m / 10^e with m < 2^53 and e <= 22 that gives v back: exact in IEEE arithmetic. From
// 2^53 to 2^63 every double is an integer.
template <class Out>
constexpr void number(Out& out, double v) {
  if (v < 0) {
    out.put('-');
    v = -v;
  }
  if (v > 9007199254740992.0 && v < 9223372036854775808.0)
    return integer(out, static_cast<std::int64_t>(v));
  double power = 1;
  for (int e = 0; e <= 22; ++e, power *= 10) {
    const double scaled = v * power;
    if (scaled > 9007199254740992.0) break;
    const double m = static_cast<double>(static_cast<std::int64_t>(scaled + 0.5));
    if (m / power != v) continue;
    const auto whole = static_cast<std::int64_t>(m);
    if (e > 4) {
      integer(out, whole);
      raw(out, "e-");
      return integer(out, e);
    }
    const auto unit = static_cast<std::int64_t>(power);
    integer(out, whole / unit);
    if (e > 0) out.put('.');
    for (std::int64_t d = unit / 10; d > 0; d /= 10)
      out.put(static_cast<char>('0' + whole / d % 10));
    return;
  }
  throw "write this default with at most 15 digits";  // not a constant expression: compile error
}

template <class Out>
constexpr void amount(Out& out, const Amount& a) {
  constexpr const char* units[] = {"", "%", " tokens", " epochs", "s"};
  out.put('"');
  number(out, a.value);
  raw(out, units[static_cast<int>(a.unit)]);
  out.put('"');
}

template <class Out, class F, class T>
constexpr void default_value(Out& out, const F& f, const T& v) {
  if constexpr (std::is_same_v<T, bool>) {
    raw(out, v ? "true" : "false");
  } else if constexpr (std::is_enum_v<T>) {
    for (auto& c : f.choices)
      if (c.name != nullptr && c.value == v) return quoted(out, c.name);
  } else if constexpr (std::is_integral_v<T>) {
    integer(out, v);
  } else if constexpr (std::is_floating_point_v<T>) {
    number(out, v);
  } else if constexpr (std::is_same_v<T, Amount>) {
    amount(out, v);
  } else if constexpr (is_vector<T>::value) {
    out.put('[');
    for (std::size_t i = 0; i != v.size(); ++i) {
      if (i != 0) out.put(',');
      default_value(out, f, v[i]);
    }
    out.put(']');
  } else {
    quoted(out, v);
  }
}

// Whether a default of T can be written down: not for components, structs and absent values.
template <class T>
constexpr bool has_default() {
  if constexpr (std::is_pointer_v<T> || is_optional<T>::value || HasSettings<T> ||
                is_named<T>::value)
    return false;
  else if constexpr (is_vector<T>::value)
    return has_default<typename T::value_type>();
  else
    return true;
}

template <class Config, class Out>
constexpr void schema(Out& out);
template <class Config, class Out>
constexpr void schema_with(Out& out, const Config& defaults);

template <class T, class Out>
constexpr void type(Out& out) {
  if constexpr (std::is_same_v<T, bool>) {
    raw(out, "\"type\":\"boolean\"");
  } else if constexpr (std::is_enum_v<T> || std::is_same_v<T, std::string_view> ||
                       std::is_same_v<T, Amount>) {
    raw(out, "\"type\":\"string\"");
  } else if constexpr (std::is_integral_v<T>) {
    raw(out, "\"type\":\"integer\"");
  } else if constexpr (std::is_floating_point_v<T>) {
    raw(out, "\"type\":\"number\"");
  } else if constexpr (is_vector<T>::value) {
    raw(out, "\"type\":\"array\",\"items\":{");
    type<typename T::value_type>(out);
    out.put('}');
  } else if constexpr (is_named<T>::value) {
    raw(out, "\"type\":\"map\",\"values\":{");
    type<typename is_named<T>::Value>(out);
    out.put('}');
  } else if constexpr (is_optional<T>::value) {
    type<typename T::value_type>(out);
  } else if constexpr (std::is_pointer_v<T>) {
    raw(out, "\"component\":");
    quoted(out, Remote<std::remove_pointer_t<T>>::id);
  } else {
    static_assert(HasSettings<T>, "a struct as a setting needs settings() of its own");
    schema<T>(out);
  }
}

template <class Out>
constexpr void text_member(Out& out, std::string_view key, const char* value) {
  if (value == nullptr) return;
  out.put(',');
  quoted(out, key);
  out.put(':');
  quoted(out, value);
}
template <class Out>
constexpr void number_member(Out& out, std::string_view key, bool present, double value) {
  if (!present) return;
  out.put(',');
  quoted(out, key);
  out.put(':');
  number(out, value);
}
template <class Out, class List, class Name>
constexpr void names_member(Out& out, std::string_view key, const List& all, Name name) {
  if (name(all[0]) == nullptr) return;
  out.put(',');
  quoted(out, key);
  raw(out, ":[");
  for (std::size_t i = 0; i != all.size() && name(all[i]) != nullptr; ++i) {
    if (i != 0) out.put(',');
    quoted(out, name(all[i]));
  }
  out.put(']');
}
template <class Out, class F>
constexpr void flags(Out& out, const F& f) {
  constexpr const char* meanings[] = {nullptr, "path", "bytes", "tokens", "duration", "amount"};
  text_member(out, "meaning", meanings[static_cast<int>(f.meaning)]);
  if (f.is_required) raw(out, ",\"required\":true");
  if (f.is_positional) raw(out, ",\"positional\":true");
  if (f.takes_single) raw(out, ",\"single\":true");
  const char letter[2] = {f.letter, 0};
  text_member(out, "short", f.letter != 0 ? letter : nullptr);
}

template <class Out, class Config, class T>
constexpr void one_field(Out& out, const Field<Config, T>& f, const Config& defaults) {
  quoted(out, f.name);
  raw(out, ":{");
  if constexpr (HasSettings<T>)
    schema_with(out, defaults.*f.member);  // its defaults are what this Config initialises it with
  else
    type<T>(out);
  text_member(out, "doc", f.help);
  text_member(out, "unit", f.unit_name);
  text_member(out, "since", f.since_version);
  number_member(out, "minimum", f.low > -std::numeric_limits<double>::infinity(), f.low);
  number_member(out, "maximum", f.high < std::numeric_limits<double>::infinity(), f.high);
  number_member(out, "multiple_of", f.multiple != 0, f.multiple);
  names_member(out, "enum", f.choices, [](const auto& c) { return c.name; });
  names_member(out, "known_as", f.other_names, [](const char* n) { return n; });
  flags(out, f);
  text_member(out, "default_path", f.link);
  if constexpr (has_default<T>())
    if (!f.is_required && f.link == nullptr) {
      raw(out, ",\"default\":");
      default_value(out, f, defaults.*f.member);
    }
  out.put('}');
}

template <class Config>
constexpr bool make_defaults() {
  [[maybe_unused]] Config defaults{};
  return true;
}
template <class Config, bool = make_defaults<Config>()>
std::true_type constant_defaults(int);
template <class Config>
std::false_type constant_defaults(...);

template <class Config, class Out>
constexpr void schema(Out& out) {
  static_assert(decltype(constant_defaults<Config>(0))::value,
                "the defaults of this Config are no constant expression: use numbers, bool, enums, "
                "std::string_view, std::array, std::vector, structs of these");
  Config defaults{};  // not const: g++ 12 cannot end a const vector in a constant expression
  schema_with(out, defaults);
}

template <class Config, class Out>
constexpr void schema_with(Out& out, const Config& defaults) {
  raw(out, "\"type\":\"object\",\"properties\":{");
  std::apply(
      [&](const auto&... f) {
        std::size_t n = 0;
        ((n++ != 0 ? out.put(',') : void(), one_field(out, f, defaults)), ...);
      },
      Config::settings());
  out.put('}');
  if constexpr (HasRules<Config>) {
    raw(out, ",\"rules\":[");
    std::size_t n = 0;
    for (const Rule& r : Config::rules()) {
      raw(out, n++ != 0 ? ",{" : "{");
      raw(out, "\"rule\":");
      quoted(out, r.kind);
      text_member(out, "a", r.a);
      text_member(out, "b", r.b);
      out.put('}');
    }
    out.put(']');
  }
}

}  // namespace kit
}  // namespace mortise
