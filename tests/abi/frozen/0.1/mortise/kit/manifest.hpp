#pragma once

// The manifest of a plugin: JSON made at compile time from its listing, and the constant tables.

#include <array>
#include <mortise/kit/read_settings.hpp>

namespace [[gnu::visibility("hidden")]] mortise {
namespace kit {

#define MORTISE_SDK_TEXT "0.1"

// ---- which interfaces a plugin touches ----------------------------------------------------------
template <class... T>
struct types {};

template <class Set, class T>
struct contains;
template <class... S, class T>
struct contains<types<S...>, T> : std::bool_constant<(std::is_same_v<S, T> || ...)> {};

// The interface behind a parameter or result type, or void.
template <class P>
struct interface_in {
  using type = void;
};
template <std::derived_from<Interface> I>
struct interface_in<I> {
  using type = I;
};
template <class I>
struct interface_in<std::unique_ptr<I>> {
  using type = I;
};
template <class R, class I, class... P>
types<typename interface_in<std::remove_cvref_t<R>>::type,
      typename interface_in<std::remove_cvref_t<P>>::type...>
    interfaces_of(R (I::*)(P...));
template <class R, class I, class... P>
types<typename interface_in<std::remove_cvref_t<R>>::type,
      typename interface_in<std::remove_cvref_t<P>>::type...>
interfaces_of(R (I::*)(P...) const);

template <class Set, class List>
struct with_all;  // Set and everything that the interfaces of List lead to
template <class Set>
struct with_all<Set, types<>> {
  using type = Set;
};
template <class M>
struct touched;
template <auto... M>
struct touched<Methods<M...>> {
  template <class Set, class... L>
  struct fold;
  template <class Set>
  struct fold<Set> {
    using type = Set;
  };
  template <class Set, class L, class... Rest>
  struct fold<Set, L, Rest...> {
    using type = typename fold<typename with_all<Set, L>::type, Rest...>::type;
  };
  template <class Set>
  using add_to = typename fold<Set, decltype(interfaces_of(M))...>::type;
};
template <class I>
concept Lends = requires {
  typename Remote<I>::Services;
};
template <class I>
struct services_of {
  using type = types<>;
};
template <Lends I>
struct services_of<I> {
  using type = typename Remote<I>::Services;
};

template <class... S, class T, class... Rest>
struct with_all<types<S...>, types<T, Rest...>> {
  static auto add() {
    if constexpr (std::is_void_v<T> || contains<types<S...>, T>::value) {
      return std::type_identity<types<S...>>{};
    } else {
      using Own = types<S..., T>;
      using Serviced = typename with_all<Own, typename services_of<T>::type>::type;
      return std::type_identity<
          typename touched<typename Remote<T>::Methods>::template add_to<Serviced>>{};
    }
  }
  using type = typename with_all<typename decltype(add())::type, types<Rest...>>::type;
};

// Interfaces among the members of a Config.
template <class T>
struct component_in {
  using type = void;
};
template <class I>
struct component_in<I*> {
  using type = I;
};
template <class E>
struct component_in<std::vector<E>> : component_in<E> {};
template <class E>
struct component_in<Named<E>> : component_in<E> {};
template <class... C, class... T>
types<typename component_in<T>::type...> components_in(const std::tuple<Field<C, T>...>&);

// ---- one component ------------------------------------------------------------------------------
struct NoConfig {
  static constexpr auto settings() { return fields(); }
};
template <class T>
struct config_of {
  using type = NoConfig;
};
template <class T>
requires requires { typename T::Config; }
struct config_of<T> {
  using type = typename T::Config;
};
template <class T>
struct own_services {
  using type = types<>;
};
template <class T>
requires requires { typename T::Services; }
struct own_services<T> {
  using type = typename T::Services;
};

// One made component with what was lent to it; the component goes first, the lent things last.
template <class T>
struct Made {
  using Config = typename config_of<T>::type;
  Context context;
  T object;
  Made(mt_values settings, const mt_context_v1& c)
      : context(c), object(make(read<Config>(settings, context), context)) {}
  static T make(const Config& config, Context& context) {
    if constexpr (std::is_constructible_v<T, const Config&, Context&>)
      return T(config, context);
    else if constexpr (std::is_constructible_v<T, const Config&>)
      return T(config);
    else if constexpr (std::is_constructible_v<T, Context&>)
      return T(context);
    else
      return T();
  }
};

template <class T, class... I>
struct Component {
  using Main = std::tuple_element_t<0, std::tuple<I...>>;
  using Config = typename Made<T>::Config;
  template <class Set>
  using add_interfaces =
      typename with_all<typename with_all<typename with_all<Set, types<I...>>::type,
                                          decltype(components_in(Config::settings()))>::type,
                        typename own_services<T>::type>::type;
  const char* key;
  const char* help;

  static mt_status create(mt_values s, const mt_context_v1* c, void** made,
                          const mt_error_sink* error) noexcept {
    return guarded(error, [&] { *made = new Made<T>(s, *c); });
  }
  static void destroy(void* made) noexcept { delete static_cast<Made<T>*>(made); }
  static mt_object view(void* made, const char* id) noexcept {
    mt_object object{};
    T& t = static_cast<Made<T>*>(made)->object;
    ((std::string_view(Remote<I>::id) == id
          ? void(object = {&Remote<I>::table.head, static_cast<I*>(&t)})
          : void()),
     ...);
    return object;
  }
  constexpr mt_component_v1 table() const {
    return {head_of<mt_component_v1>(), Remote<Main>::id, key, &create, &view, &destroy};
  }

  template <class Out>
  constexpr void manifest(Out& out) const {
    raw(out, "{\"interfaces\":[");
    std::size_t n = 0;
    ((n++ != 0 ? out.put(',') : void(), quoted(out, Remote<I>::id)), ...);
    raw(out, "],\"key\":");
    quoted(out, key);
    text_member(out, "doc", help);
    raw(out, ",\"settings\":{");
    schema<Config>(out);
    raw(out, "}}");
  }
};

// ---- the listing of a plugin --------------------------------------------------------------------
template <class I, class Out>
constexpr void fingerprint(Out& out) {
  quoted(out, Remote<I>::id);
  raw(out, ":\"");
  for (const std::uint32_t code : Remote<I>::Methods::fingerprint())
    for (int shift = 28; shift >= 0; shift -= 4) out.put("0123456789abcdef"[(code >> shift) & 15]);
  out.put('"');
}
template <class... I, class Out>
constexpr void fingerprints(types<I...>, Out& out) {
  std::size_t n = 0;
  ((n++ != 0 ? out.put(',') : void(), fingerprint<I>(out)), ...);
}

template <class Set, class... C>
struct fold_components;
template <class Set>
struct fold_components<Set> {
  using type = Set;
};
template <class Set, class C, class... Rest>
struct fold_components<Set, C, Rest...> {
  using type = typename fold_components<typename C::template add_interfaces<Set>, Rest...>::type;
};

template <class... C>
struct Listing {
  using Interfaces = typename fold_components<types<Logger, Metrics>, C...>::type;
  const char* torch;
  const char* id;
  const char* version;
  std::tuple<C...> components;

  template <class Out>
  constexpr void manifest(Out& out) const {
    raw(out, "{\"id\":");
    quoted(out, id);
    text_member(out, "version", version);
    text_member(out, "sdk", MORTISE_SDK_TEXT);
    if (torch[0] != 'M') {  // torch-free: the macro's name itself arrived
      text_member(out, "torch", torch);
      text_member(out, "accelerator", "none");
    }
#ifdef __clang__
    text_member(out, "compiler", "clang " __clang_version__);
#else
    text_member(out, "compiler", "g++ " __VERSION__);
#endif
    raw(out, _GLIBCXX_USE_CXX11_ABI ? ",\"cxx11_abi\":true" : ",\"cxx11_abi\":false");
    raw(out, ",\"tables\":{");
    fingerprints(Interfaces{}, out);
    raw(out, "},\"components\":[");
    std::apply(
        [&](const auto&... c) {
          std::size_t n = 0;
          ((n++ != 0 ? out.put(',') : void(), c.manifest(out)), ...);
        },
        components);
    raw(out, "]}");
  }
};

template <std::size_t N>
struct Note {  // as ELF wants it: type 2 of owner MORTISE is the manifest
  std::uint32_t owner_size = 8, text_size = N, type = 2;
  char owner[8] = {'M', 'O', 'R', 'T', 'I', 'S', 'E', 0};
  char text[(N + 3) / 4 * 4] = {};
};
template <const auto& L>
constexpr auto note() {
  constexpr std::size_t size = [] {
    Count c;
    L.manifest(c);
    return c.size;
  }();
  Note<size + 1> note;
  Pen pen{note.text};
  L.manifest(pen);
  return note;
}

template <const auto& L>
struct Tables {
  static constexpr std::size_t count = std::tuple_size_v<decltype(L.components)>;
  template <std::size_t... i>
  static constexpr auto make(std::index_sequence<i...>) {
    return std::array{std::get<i>(L.components).table()...};
  }
  static constexpr auto tables = make(std::make_index_sequence<count>());
  template <std::size_t... i>
  static constexpr auto point(std::index_sequence<i...>) {
    return std::array<const mt_component_v1*, count>{&tables[i]...};
  }
  static constexpr auto pointers = point(std::make_index_sequence<count>());
};

}  // namespace kit
}  // namespace mortise
