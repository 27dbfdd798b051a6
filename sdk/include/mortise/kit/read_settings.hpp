#pragma once

// A settings tree becomes a Config. The host has validated it, so this only assigns.

#include <mortise/context.hpp>
#include <mortise/kit/schema.hpp>

namespace [[gnu::visibility("hidden")]] mortise {
namespace kit {

// What is not given keeps its value.
template <class Config>
void read_into(Config& config, mt_values values, Context& context);

template <class E>
E& next_element(std::vector<E>& list, std::size_t) {
  return list.emplace_back();
}
template <class E, std::size_t N>
E& next_element(std::array<E, N>& list, std::size_t i) {
  return list.at(i);
}
template <class E>
void check_count(const std::vector<E>&, std::size_t, const char*) {}
template <class E, std::size_t N>
void check_count(const std::array<E, N>&, std::size_t given, const char* name) {
  if (given != N)
    throw ConfigError(std::string(name) + " takes " + std::to_string(N) + " values, not " +
                      std::to_string(given));
}

inline Amount read_amount(mt_values items) {
  Amount amount;
  for (std::size_t i = 0; i != items.size; ++i) {
    const mt_value& v = items.data[i];
    if (std::string_view(v.key) == "value")
      amount.value = v.kind == MT_INT ? double(v.as.i) : v.as.f;
    if (std::string_view(v.key) == "unit") amount.unit = known<Amount::Unit>(v.as.i);
  }
  return amount;
}

template <class F, class T>
void assign(const F& f, const mt_value& v, T& into, Context& context) {
  if (v.kind > MT_COMPONENT)
    throw Error(ErrorCode::not_supported,
                std::string(f.name) + " is of a kind that this side does not know");
  if constexpr (std::is_same_v<T, bool>) {
    into = v.as.i != 0;
  } else if constexpr (std::is_enum_v<T>) {
    for (auto& c : f.choices)
      if (c.name != nullptr && c.name == view(v.as.text)) into = c.value;
  } else if constexpr (std::is_integral_v<T>) {
    into = static_cast<T>(v.as.i);
  } else if constexpr (std::is_floating_point_v<T>) {
    into = static_cast<T>(v.kind == MT_INT ? double(v.as.i) : v.as.f);
  } else if constexpr (std::is_same_v<T, Amount>) {
    into = read_amount(v.as.items);
  } else if constexpr (is_optional<T>::value) {
    assign(f, v, into.emplace(), context);
  } else if constexpr (std::is_pointer_v<T>) {
    into = context.lend<std::remove_pointer_t<T>>(v.as.object);
  } else if constexpr (is_vector<T>::value) {
    into = {};
    check_count(into, v.as.items.size, f.name);
    for (std::size_t i = 0; i != v.as.items.size; ++i)
      assign(f, v.as.items.data[i], next_element(into, i), context);
  } else if constexpr (is_named<T>::value) {
    into.entries.clear();
    for (std::size_t i = 0; i != v.as.items.size; ++i) {
      auto& entry = into.entries.emplace_back();
      entry.name = v.as.items.data[i].key;
      assign(f, v.as.items.data[i], entry.value, context);
    }
  } else if constexpr (HasSettings<T>) {
    read_into(into, v.as.items, context);
  } else {
    into = view(v.as.text);
  }
}

template <class Config>
void read_into(Config& config, mt_values values, Context& context) {
  for (std::size_t i = 0; i != values.size; ++i) {
    const mt_value& v = values.data[i];
    if (v.kind == MT_NONE) continue;
    std::apply(
        [&](const auto&... f) {
          ((std::string_view(f.name) == v.key ? assign(f, v, config.*(f.member), context) : void()),
           ...);
        },
        Config::settings());
  }
}

template <class Config>
Config read(mt_values values, Context& context) {
  Config config{};
  read_into(config, values, context);
  return config;
}

}  // namespace kit
}  // namespace mortise
