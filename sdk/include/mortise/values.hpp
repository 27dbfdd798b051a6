#pragma once

#include <mortise/c/plugin.h>

#include <initializer_list>
#include <mortise/kit/structs.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// An open tree of named values: the attributes of a layer. Order is kept; names are unique.
class Values {
 public:
  struct Entry;
  using Value = std::variant<bool, std::int64_t, double, std::string, Values>;

  Values() = default;
  Values(std::initializer_list<Entry> entries);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The value of `key`; an integer is also read as double.
  /// Errors: Error(bad_argument) when it is not there or of another type.
  template <class T>
  T get(std::string_view key) const;
  template <class T>
  T get(std::string_view key, T otherwise) const {
    return has(key) ? get<T>(key) : otherwise;
  }
  void set(std::string key, Value v);
  const std::vector<Entry>& entries() const { return entries_; }
  bool operator==(const Values&) const;

 private:
  const Value* find(std::string_view key) const;
  std::vector<Entry> entries_;
};

struct Values::Entry {
  std::string key;
  Value value;
  bool operator==(const Entry&) const = default;
};

inline Values::Values(std::initializer_list<Entry> entries) : entries_(entries) {}
inline bool Values::operator==(const Values& other) const { return entries_ == other.entries_; }
inline const Values::Value* Values::find(std::string_view key) const {
  for (const Entry& e : entries_)
    if (e.key == key) return &e.value;
  return nullptr;
}
inline void Values::set(std::string key, Value v) {
  for (Entry& e : entries_)
    if (e.key == key) return void(e.value = std::move(v));
  entries_.push_back({std::move(key), std::move(v)});
}
template <class T>
T Values::get(std::string_view key) const {
  const Value* v = find(key);
  if (v == nullptr) throw Error(ErrorCode::bad_argument, "no attribute named " + std::string(key));
  if constexpr (std::is_same_v<T, double>)
    if (const auto* i = std::get_if<std::int64_t>(v)) return double(*i);
  if (const T* found = std::get_if<T>(v)) return *found;
  throw Error(ErrorCode::bad_argument, "attribute " + std::string(key) + " is of another type");
}

namespace kit {

template <>
struct lowering<Values> {
  static mt_values lower(const Values& v, Arena& arena) {
    auto* all = arena.make<mt_value>(v.entries().size());
    std::size_t i = 0;
    for (const Values::Entry& e : v.entries())
      std::visit([&](const auto& x) { all[i++] = node(e.key.c_str(), x, arena); }, e.value);
    return {all, i};
  }
  static Values raise(mt_values v) {
    Values all;
    for (std::size_t i = 0; i != v.size; ++i) all.set(v.data[i].key, value(v.data[i]));
    return all;
  }

 private:
  template <class T>
  static mt_value node(const char* key, const T& x, Arena& arena) {
    mt_value n{key, MT_NONE, {}};
    if constexpr (std::is_same_v<T, bool>)
      n.kind = MT_BOOL, n.as.i = x ? 1 : 0;
    else if constexpr (std::is_same_v<T, std::int64_t>)
      n.kind = MT_INT, n.as.i = x;
    else if constexpr (std::is_same_v<T, double>)
      n.kind = MT_FLOAT, n.as.f = x;
    else if constexpr (std::is_same_v<T, std::string>)
      n.kind = MT_TEXT, n.as.text = text(x);
    else
      n.kind = MT_MAP, n.as.items = lower(x, arena);
    return n;
  }
  static Values::Value value(const mt_value& n) {
    switch (n.kind) {
      case MT_BOOL:
        return n.as.i != 0;
      case MT_INT:
        return n.as.i;
      case MT_FLOAT:
        return n.as.f;
      case MT_TEXT:
        return std::string(view(n.as.text));
      case MT_MAP:
        return raise(n.as.items);
      default:
        throw Error(ErrorCode::not_supported, "attribute " + std::string(n.key) +
                                                  " is of a kind that this side does not know");
    }
  }
};
template <>
struct crossing<Values> {
  static constexpr const char* name = "values";
  using Arg = mt_values;
  struct Held {
    Arena arena;
    mt_values list;
    explicit Held(const Values& v) : list(lowering<Values>::lower(v, arena)) {}
    Held(const Held&) = delete;
    operator mt_values() const { return list; }
  };
  static Held pack(const Values& v) { return Held(v); }
  static Values unpack(Arg v) { return lowering<Values>::raise(v); }
};

}  // namespace kit
}  // namespace mortise
