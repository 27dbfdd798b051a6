#pragma once

// Calls through a table: the thunk of a method on the callee's side, the proxy's call on the
// caller's side, and the list of an interface's methods that makes its table.

#include <array>
#include <cstddef>
#include <mortise/kit/call_in_progress.hpp>
#include <mortise/kit/crossing.hpp>
#include <mortise/kit/fingerprint.hpp>

namespace [[gnu::visibility("hidden")]] mortise {
namespace kit {

template <class P>
concept MayCross = !std::is_lvalue_reference_v<P> || std::is_const_v<std::remove_reference_t<P>> ||
                   std::derived_from<std::remove_reference_t<P>, Interface>;

template <class F>
mt_status guarded(const mt_error_sink* error, F f) noexcept {
  try {
    f();
    return 0;
  } catch (...) {
    return tell_current_exception(error);
  }
}

template <auto M, class R, class I, class... P>
R invoke(void* self, auto&&... held) {
  return (static_cast<I*>(self)->*M)(static_cast<P>(held)...);
}

template <auto M, class R, class I, class... P>
constexpr auto make_thunk(R (I::*)(P...)) {
  static_assert((MayCross<P> && ...),
                "only other components may be passed as T&: return results instead");
  if constexpr (std::is_void_v<R>) {
    return +[](void* self, typename cross<P>::Arg... args,
               const mt_error_sink* error) noexcept -> mt_status {
      return guarded(error, [&] { invoke<M, R, I, P...>(self, cross<P>::unpack(args)...); });
    };
  } else {
    return +[](void* self, typename cross<P>::Arg... args, typename cross<R>::Out out,
               const mt_error_sink* error) noexcept -> mt_status {
      return guarded(error, [&] {
        cross<R>::deliver(out, invoke<M, R, I, P...>(self, cross<P>::unpack(args)...));
      });
    };
  }
}
template <auto M, class R, class I, class... P>
constexpr auto make_thunk(R (I::*)(P...) const) {
  return make_thunk<M>(static_cast<R (I::*)(P...)>(nullptr));
}
template <auto M, class R, class I, class... P>
constexpr auto make_thunk(R (I::*)(P...) noexcept) {
  static_assert(sizeof(R*) == 0, "must not be noexcept: a call into a component can fail");
}
template <auto M>
inline constexpr auto thunk = make_thunk<M>(M);

template <class T>
constexpr mt_head head_of() {
  return {sizeof(T), 0};
}

// The methods of one interface, in slot order.
template <auto... M>
struct Methods {
  static constexpr std::size_t count = sizeof...(M);

  template <class Table>
  static constexpr Table table() {
    static_assert(sizeof(Table) == sizeof(mt_head) + count * sizeof(void (*)()),
                  "the table needs one slot for each method");
    return Table{head_of<Table>(), thunk<M>...};
  }
  static constexpr std::array<std::uint32_t, count> fingerprint() { return {method_code<M>()...}; }
  static constexpr std::array<std::string_view, count> names() { return {method_name<M>()...}; }
};

template <class I, class T>
class RemoteBase : public I {
 public:
  using Table = T;
  explicit RemoteBase(mt_object object) : object_(object) {}
  const mt_object* remote() const final { return &object_; }
  void lend(mt_object object) { object_ = object; }
  // Who is called, for the messages of failed calls. Lent.
  void set_name(const char* name) { name_ = name; }

 protected:
  template <class Slot>
  bool has(Slot T::*slot) const {
    const T* t = table();
    const auto end =
        reinterpret_cast<const char*>(&(t->*slot) + 1) - reinterpret_cast<const char*>(t);
    return end <= std::ptrdiff_t(t->head.struct_size) && t->*slot != nullptr;
  }

  template <class Slot, class R, class O, class... P>
  R call(Slot T::*slot, R (O::*)(P...) const, std::type_identity_t<P>... args) const {
    Failure failure;
    mt_status status = 0;
    const CallInProgress mark(name_, method(slot));
    if (!has(slot)) refuse_absent(slot);
    if constexpr (std::is_void_v<R>) {
      status = (table()->*slot)(object_.self, cross<P>::pack(args)..., failure.sink());
      if (status != 0) failure.raise(status, called(slot));
    } else {
      typename cross<R>::Receiver result;
      status =
          (table()->*slot)(object_.self, cross<P>::pack(args)..., result.slot(), failure.sink());
      if (status != 0) failure.raise(status, called(slot));
      return result.take();
    }
  }
  template <class Slot, class R, class O, class... P>
  R call(Slot T::*slot, R (O::*)(P...), std::type_identity_t<P>... args) {
    return call(slot, static_cast<R (O::*)(P...) const>(nullptr), static_cast<P>(args)...);
  }

 private:
  // "llama of org.mortise.llama: forward_unit: "
  template <class Slot>
  std::string called(Slot T::*slot) const {
    if (name_ == nullptr) return {};
    return std::string(name_) + ": " + std::string(*method(slot)) + ": ";
  }
  template <class Slot>
  [[noreturn]] void refuse_absent(Slot T::*slot) const {
    throw Error(ErrorCode::not_supported, called(slot) + "the table of this " +
                                              readable(&typeid(I)) +
                                              " leaves this method out; every table has it");
  }
  // The name of the method in a slot.
  template <class Slot>
  static const std::string_view* method(Slot T::*slot) {
    static constexpr auto names = Remote<I>::Methods::names();
    const T& own = Remote<I>::table;
    const auto offset = reinterpret_cast<const char*>(&(own.*slot)) -
                        reinterpret_cast<const char*>(&own) - std::ptrdiff_t(sizeof(mt_head));
    return &names[std::size_t(offset) / sizeof(void (*)())];
  }
  const T* table() const {
    if (object_.table == nullptr)
      throw Error(ErrorCode::bad_argument,
                  readable(&typeid(I)) +
                      " was lent for a call that is over: keep what Context offers, not arguments");
    return reinterpret_cast<const T*>(object_.table);
  }
  mt_object object_;
  const char* name_ = nullptr;
};

}  // namespace kit
}  // namespace mortise
