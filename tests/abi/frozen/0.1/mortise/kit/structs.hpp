#pragma once

// Data structs and lists of them. lowering<T>: C, lower(value, arena) on the sending side,
// raise(C) on the receiving one. A data struct's C form begins with mt_head; nested structs go by
// pointer or list, never by value, so that they may grow.

#include <cstddef>
#include <exception>
#include <map>
#include <memory_resource>
#include <mortise/kit/call.hpp>
#include <new>
#include <optional>
#include <tuple>

namespace [[gnu::visibility("hidden")]] mortise {
namespace kit {

// What a lowered value points to. Dies with the call.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  template <class C>
  C* make(std::size_t n) {
    return static_cast<C*>(pool_.allocate(n * sizeof(C) + 1, alignof(C)));
  }

 private:
  alignas(16) std::byte first_[512];
  std::pmr::monotonic_buffer_resource pool_{first_, sizeof first_};
};

template <class T>
struct lowering;

template <class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) struct lowering<T> {
  static auto lower(T v, Arena&) { return crossing<T>::pack(v); }
  static T raise(typename crossing<T>::Arg v) { return crossing<T>::unpack(v); }
};
template <>
struct lowering<std::string> {
  static mt_text lower(const std::string& v, Arena&) { return text(v); }
  static std::string raise(mt_text v) { return std::string(view(v)); }
};
template <>
struct lowering<std::string_view> {
  static mt_text lower(std::string_view v, Arena&) { return text(v); }
  static std::string_view raise(mt_text v) { return view(v); }
};
template <class E>
requires requires { typename list<E>::View; }
struct lowering<std::vector<E>> {
  using View = typename list<E>::View;
  static View lower(const std::vector<E>& v, Arena&) { return {v.data(), v.size()}; }
  static std::vector<E> raise(View v) { return {v.data, v.data + v.size}; }
};
template <class E>
requires(std::is_enum_v<E> && sizeof(E) == 8) struct lowering<std::vector<E>> {  // ids
  static mt_i64s lower(const std::vector<E>& v, Arena&) {
    return {reinterpret_cast<const std::int64_t*>(v.data()), v.size()};
  }
  static std::vector<E> raise(mt_i64s v) {
    std::vector<E> all;
    all.reserve(v.size);
    for (std::size_t i = 0; i != v.size; ++i) all.push_back(static_cast<E>(v.data[i]));
    return all;
  }
};
template <class Text>
requires(std::same_as<Text, std::string> ||
         std::same_as<Text, std::string_view>) struct lowering<std::vector<Text>> {
  static mt_texts lower(const std::vector<Text>& v, Arena& arena) {
    auto* all = arena.make<mt_text>(v.size());
    for (std::size_t i = 0; i != v.size(); ++i) all[i] = text(v[i]);
    return {all, v.size()};
  }
  static std::vector<Text> raise(mt_texts v) {
    std::vector<Text> all;
    all.reserve(v.size);
    for (std::size_t i = 0; i != v.size; ++i) all.emplace_back(view(v.data[i]));
    return all;
  }
};

// One member and its place in the C struct. Group >= 0: appended, and a value other than the
// default must not be ignored. Appended: not part of the first draft.
template <class T, class F, class C, class M, int Group = -1, bool Appended = false>
struct Member {
  using Type = F;
  F T::*mine;
  M C::*theirs;
  static constexpr int group = Group;
  static constexpr bool appended = Appended;
  template <int Bit>
  constexpr Member<T, F, C, M, Bit, true> needs() const {
    return {mine, theirs};
  }
  constexpr Member<T, F, C, M, -1, true> since() const { return {mine, theirs}; }
};
template <class T, class F, class C, class M>
constexpr Member<T, F, C, M> member(F T::*mine, M C::*theirs) {
  return {mine, theirs};
}

template <Described T>
struct lowering<T> {
  using C = typename members<T>::C;

  static C lower(const T& v, Arena& arena) {
    C c{};
    c.head.struct_size = sizeof(C);
    std::apply([&](const auto&... m) { (lower_member(m, v, c, arena), ...); }, members<T>::map);
    return c;
  }

  static T raise(const C& c) {
    T v{};
    std::uint32_t known = 0;
    std::apply([&](const auto&... m) { (raise_member(m, c, v, known), ...); }, members<T>::map);
    if (const std::uint32_t unknown = c.head.needs & ~known; unknown != 0)
      throw Error(ErrorCode::not_supported,
                  readable(&typeid(T)) + " carries something that this side does not know (group " +
                      std::to_string(__builtin_ctz(unknown)) + "): rebuild against a newer SDK");
    return v;
  }

 private:
  template <class M>
  static void lower_member(const M& m, const T& v, C& c, Arena& arena) {
    using F = typename M::Type;
    if constexpr (Described<F>)
      c.*m.theirs = new (arena.make<typename members<F>::C>(1))
          typename members<F>::C(lowering<F>::lower(v.*m.mine, arena));
    else
      c.*m.theirs = lowering<F>::lower(v.*m.mine, arena);
    if constexpr (M::group >= 0)
      if (!(v.*m.mine == T{}.*m.mine)) c.head.needs |= 1u << M::group;
  }

  template <class M>
  static void raise_member(const M& m, const C& c, T& v, std::uint32_t& known) {
    using F = typename M::Type;
    if constexpr (M::group >= 0) known |= 1u << M::group;
    const auto end =
        reinterpret_cast<const char*>(&(c.*m.theirs) + 1) - reinterpret_cast<const char*>(&c);
    if (end > std::ptrdiff_t(c.head.struct_size)) return;
    if constexpr (Described<F>)
      v.*m.mine = lowering<F>::raise(*(c.*m.theirs));
    else
      v.*m.mine = lowering<F>::raise(c.*m.theirs);
  }
};

template <Described T>
struct lowering<std::vector<T>> {
  using C = typename members<T>::C;
  using List = typename members<T>::List;
  static List lower(const std::vector<T>& v, Arena& arena) {
    auto* all = arena.make<C>(v.size());
    for (std::size_t i = 0; i != v.size(); ++i) new (all + i) C(lowering<T>::lower(v[i], arena));
    return {all, v.size()};
  }
  static std::vector<T> raise(List list) {
    std::vector<T> all;
    all.reserve(list.size);
    const char* at = reinterpret_cast<const char*>(list.data);
    for (std::size_t i = 0; i != list.size; ++i) {
      const C& c = *reinterpret_cast<const C*>(at);
      all.push_back(lowering<T>::raise(c));
      at += c.head.struct_size;  // the sender's stride, not ours
    }
    return all;
  }
};
template <Described T>
struct lowering<std::optional<T>> {  // a list of none or one
  using C = typename members<T>::C;
  using List = typename members<T>::List;
  static List lower(const std::optional<T>& v, Arena& arena) {
    if (!v) return {nullptr, 0};
    return {new (arena.make<C>(1)) C(lowering<T>::lower(*v, arena)), 1};
  }
  static std::optional<T> raise(List v) {
    if (v.size == 0) return std::nullopt;
    return lowering<T>::raise(*v.data);
  }
};

// Everything that lowers into a list L: as argument by value, as result through one put.
template <class T, class L, class S>
struct lowered {
  using Arg = L;
  struct Held {
    Arena arena;
    L list;
    explicit Held(const T& v) : list(lowering<T>::lower(v, arena)) {}
    Held(const Held&) = delete;
    operator L() const { return list; }
  };
  static Held pack(const T& v) { return Held(v); }
  static T unpack(Arg list) { return lowering<T>::raise(list); }

  using Out = const S*;
  static void deliver(Out out, const T& v) {
    Arena arena;
    out->put(out->self, lowering<T>::lower(v, arena));
  }
  struct Receiver {
    T value{};
    std::exception_ptr failed;
    S sink{this, &put};
    Out slot() { return &sink; }
    T take() {
      if (failed) std::rethrow_exception(failed);
      return std::move(value);
    }
    static void put(void* self, L list) noexcept {
      auto& receiver = *static_cast<Receiver*>(self);
      try {
        receiver.value = lowering<T>::raise(list);
      } catch (...) {
        receiver.failed = std::current_exception();
      }
    }
  };
};

template <Described T>
struct crossing<std::vector<T>>
    : lowered<std::vector<T>, typename members<T>::List, typename members<T>::Sink> {};
template <Described T>
struct crossing<std::optional<T>>
    : lowered<std::optional<T>, typename members<T>::List, typename members<T>::Sink> {};
template <class Text>
requires(std::same_as<Text, std::string> ||
         std::same_as<Text, std::string_view>) struct crossing<std::vector<Text>>
    : lowered<std::vector<Text>, mt_texts, mt_texts_sink> {
};

template <Described T>
struct crossing<T> {  // one struct: by pointer as an argument, a list of one as a result
  using C = typename members<T>::C;
  using Sink = typename members<T>::Sink;
  using Arg = const C*;
  struct Held {
    Arena arena;
    C c;
    explicit Held(const T& v) : c(lowering<T>::lower(v, arena)) {}
    Held(const Held&) = delete;
    operator Arg() const { return &c; }
  };
  static Held pack(const T& v) { return Held(v); }
  static T unpack(Arg c) { return lowering<T>::raise(*c); }

  using Out = const Sink*;
  static void deliver(Out out, const T& v) {
    const Held held(v);
    out->put(out->self, {&held.c, 1});
  }
  struct Receiver {
    T value{};
    std::exception_ptr failed;
    Sink sink{this, &put};
    Out slot() { return &sink; }
    T take() {
      if (failed) std::rethrow_exception(failed);
      return std::move(value);
    }
    static void put(void* self, typename members<T>::List list) noexcept {
      auto& receiver = *static_cast<Receiver*>(self);
      try {
        receiver.value = lowering<T>::raise(*list.data);
      } catch (...) {
        receiver.failed = std::current_exception();
      }
    }
  };
};

}  // namespace kit
}  // namespace mortise

// Inside members<T>: names the C struct, its list and sink; MORTISE_MEMBER(x) maps one member.
#define MORTISE_MEMBERS(T_, c_) \
  using T = T_;                 \
  using C = c_;                 \
  using List = c_##s;           \
  using Sink = c_##_sink
#define MORTISE_MEMBER(x) member(&T::x, &C::x)
