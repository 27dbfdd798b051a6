#pragma once

// A number for each method of an interface, made from its name and the types that cross. Two drafts
// of one interface id are told apart by it (P1011). Members of a data struct that were appended
// later (needs<> or since<>) do not count, so growing a struct keeps its number.

#include <concepts>
#include <cstdint>
#include <memory>
#include <mortise/kit/crossing.hpp>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {
namespace kit {

template <class T>
struct members;  // C, List, Sink, map: one specialisation for each data struct
template <class T>
concept Described = requires {
  members<T>::map;
};

struct Code {  // FNV-1a
  std::uint32_t value = 2166136261u;
  constexpr void add(std::uint32_t v) {
    for (int i = 0; i != 4; ++i, v >>= 8) value = (value ^ (v & 0xffu)) * 16777619u;
  }
  constexpr void add(std::string_view s) {
    for (const char c : s) value = (value ^ static_cast<unsigned char>(c)) * 16777619u;
  }
};

template <class T>
struct is_list : std::false_type {};
template <class E, class A>
struct is_list<std::vector<E, A>> : std::true_type {};
template <class T>
struct is_maybe : std::false_type {};
template <class E>
struct is_maybe<std::optional<E>> : std::true_type {};
template <class T>
struct is_owned : std::false_type {};
template <class I>
struct is_owned<std::unique_ptr<I>> : std::true_type {};

template <class T>
constexpr void add_type(Code& code);

template <class T>
constexpr void add_members(Code& code) {
  std::apply([&]<class... M>(
                 const M&...) { ((M::appended ? void() : add_type<typename M::Type>(code)), ...); },
             members<T>::map);
}

template <class T>
constexpr void add_type(Code& code) {
  if constexpr (std::is_void_v<T>) {
    code.add("void");
  } else if constexpr (std::is_enum_v<T>) {
    add_type<std::underlying_type_t<T>>(code);
  } else if constexpr (std::is_arithmetic_v<T>) {
    code.add(std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u");
    code.add(std::uint32_t(sizeof(T)));
  } else if constexpr (is_owned<T>::value) {
    code.add("owned");
    code.add(Remote<typename T::element_type>::id);
  } else if constexpr (std::derived_from<T, Interface>) {
    code.add("object");
    code.add(Remote<T>::id);
  } else if constexpr (Described<T>) {
    code.add("struct");
    add_members<T>(code);
  } else if constexpr (is_list<T>::value || is_maybe<T>::value) {
    code.add("list");
    add_type<typename T::value_type>(code);
  } else {
    code.add(crossing<T>::name);
  }
}

template <>
constexpr void add_type<std::string>(Code& code) {
  code.add("text");
}
template <>
constexpr void add_type<std::string_view>(Code& code) {
  code.add("text");
}
template <>
constexpr void add_type<std::span<const std::uint32_t>>(Code& code) {
  code.add("u32s");
}
template <>
constexpr void add_type<std::span<const std::int64_t>>(Code& code) {
  code.add("i64s");
}
template <>
constexpr void add_type<std::span<const double>>(Code& code) {
  code.add("f64s");
}

// "forward_unit" of &Model::forward_unit.
template <auto M>
constexpr std::string_view method_name() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::string_view method = text.substr(0, text.find_first_of(";]", text.find("M = ")));
  return method.substr(method.rfind(':') + 1);
}

template <class R, class... P>
constexpr std::uint32_t signature_code() {
  Code code;
  add_type<std::remove_cvref_t<R>>(code);
  ((code.add(","), add_type<std::remove_cvref_t<P>>(code)), ...);
  return code.value;
}
template <class R, class I, class... P>
constexpr std::uint32_t signature_of(R (I::*)(P...)) {
  return signature_code<R, P...>();
}
template <class R, class I, class... P>
constexpr std::uint32_t signature_of(R (I::*)(P...) const) {
  return signature_code<R, P...>();
}
template <auto M>
constexpr std::uint32_t method_code() {
  Code code;
  code.add(method_name<M>());
  code.add(signature_of(M));
  return code.value;
}

}  // namespace kit
}  // namespace mortise
