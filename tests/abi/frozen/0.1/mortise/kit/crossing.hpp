#pragma once

// How each C++ type looks in a table slot: crossing<T>. As an argument: Arg, pack (caller), unpack
// (callee). As a result: Out, deliver (callee), Receiver (caller).

#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <mortise/kit/errors.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// Base of every interface.
class Interface {
 public:
  virtual ~Interface() = default;
  /// For the kit: where a proxy points; null for everything else.
  virtual const mt_object* remote() const { return nullptr; }
};

/// The proxy of interface I: one specialisation beside each interface.
template <class I>
class Remote;

namespace kit {

template <class T>
struct crossing;  // incomplete: this type may not cross
template <class P>
using cross = crossing<std::remove_cvref_t<P>>;

template <class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) struct crossing<T> {
  using Arg = typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>,
                                          std::type_identity<T>>::type;
  using Out = Arg*;
  static Arg pack(T v) { return static_cast<Arg>(v); }
  static T unpack(Arg v) { return static_cast<T>(v); }
  static void deliver(Out out, T v) { *out = static_cast<Arg>(v); }
  struct Receiver {
    Arg value{};
    Out slot() { return &value; }
    T take() { return static_cast<T>(value); }
  };
};

template <>
struct crossing<bool> {
  using Arg = std::uint8_t;
  using Out = Arg*;
  static Arg pack(bool v) { return v ? 1 : 0; }
  static bool unpack(Arg v) { return v != 0; }
  static void deliver(Out out, bool v) { *out = v ? 1 : 0; }
  struct Receiver {
    Arg value{};
    Out slot() { return &value; }
    bool take() { return value != 0; }
  };
};

template <class E>
struct list;  // one specialisation for each element type
template <>
struct list<char> {
  using View = mt_text;
  using Sink = mt_text_sink;
};
template <>
struct list<std::uint32_t> {
  using View = mt_u32s;
  using Sink = mt_u32_sink;
};
template <>
struct list<std::int64_t> {
  using View = mt_i64s;
  using Sink = mt_i64_sink;
};
template <>
struct list<double> {
  using View = mt_f64s;
  using Sink = mt_f64_sink;
};

template <class T, class E>
struct list_argument {
  using Arg = typename list<E>::View;
  static Arg pack(const T& v) { return {v.data(), v.size()}; }
  static T unpack(Arg v) { return T(v.data, v.size); }
};

template <class T, class E>
struct list_result {
  using Out = const typename list<E>::Sink*;
  static void deliver(Out out, const T& v) { out->put(out->self, {v.data(), v.size()}); }
  struct Receiver {
    T value;
    bool failed = false;
    typename list<E>::Sink sink{this, &put};
    Out slot() { return &sink; }
    T take() {
      if (failed) throw std::bad_alloc();
      return std::move(value);
    }
    static void put(void* self, typename list<E>::View v) noexcept {
      auto& receiver = *static_cast<Receiver*>(self);
      try {
        receiver.value.assign(v.data, v.data + v.size);
      } catch (...) {
        receiver.failed = true;
      }
    }
  };
};

template <>
struct crossing<std::string> : list_argument<std::string, char>, list_result<std::string, char> {};
template <>
struct crossing<std::string_view> : list_argument<std::string_view, char> {};
template <class E>
requires requires { typename list<E>::View; }
struct crossing<std::span<const E>> : list_argument<std::span<const E>, E> {};
template <class E>
requires requires { typename list<E>::View; }
struct crossing<std::vector<E>> : list_result<std::vector<E>, E> {};

template <class I>
mt_object object_of(I& o) {
  return o.remote() != nullptr ? *o.remote() : mt_object{&Remote<I>::table.head, &o};
}

// The proxy of an argument. It lies in memory that stays while the thread lives and refuses calls
// once the call that it was lent for is over. At least eight rest, used first-in first-out, so that
// a kept reference stays refused for a while.
template <class I>
class Lent {
 public:
  explicit Lent(mt_object o) : slot_(take()) { slot_->lend(o); }
  ~Lent() {
    slot_->lend({nullptr, nullptr});
    resting().push_back(std::move(slot_));
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  operator I&() const { return *slot_; }

 private:
  using Slot = std::unique_ptr<Remote<I>>;
  static std::deque<Slot>& resting() {
    static thread_local std::deque<Slot> all;
    return all;
  }
  static Slot take() {
    auto& all = resting();
    if (all.size() < 8) return std::make_unique<Remote<I>>(mt_object{});
    Slot slot = std::move(all.front());
    all.pop_front();
    return slot;
  }
  Slot slot_;
};

template <std::derived_from<Interface> I>
struct crossing<I> {  // another component, lent
  using Arg = mt_object;
  static Arg pack(I& o) { return object_of(o); }
  static Lent<I> unpack(Arg o) { return Lent<I>(o); }
};

template <class I>
class Owned final : public Remote<I> {  // an object that a method made, handed over
 public:
  explicit Owned(const mt_owned& o) : Remote<I>(o.object), destroy_(o.destroy) {}
  ~Owned() override { destroy_(this->remote()->self); }

 private:
  void (*destroy_)(void*);
};

template <std::derived_from<Interface> I>
struct crossing<std::unique_ptr<I>> {
  using Out = mt_owned*;
  static void destroy(void* self) { delete static_cast<I*>(self); }
  static void deliver(Out out, std::unique_ptr<I> made) {
    *out = {};
    if (made != nullptr) *out = {{&Remote<I>::table.head, made.release()}, &destroy};
  }
  struct Receiver {
    mt_owned value{};
    Out slot() { return &value; }
    std::unique_ptr<I> take() {
      if (value.object.table == nullptr) return nullptr;
      return std::make_unique<Owned<I>>(value);
    }
  };
};

}  // namespace kit
}  // namespace mortise
