#pragma once

#include <mortise/kit/manifest.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// Component T, offered under its main interface and maybe more:
/// `component<ByteTokenizer, Tokenizer>("byte", "one id for each byte")`.
template <class T, class... I>
constexpr kit::Component<T, I...> component(const char* key, const char* doc) {
  return {key, doc};
}

/// Services that a component asks its Context for: `using Services = services<Mesh>;`. They are
/// compared by the gate; those that an interface always needs (Owner: Mesh) are known.
template <class... I>
using services = kit::types<I...>;

template <class... C>
constexpr kit::Listing<C...> plugin(const char* torch, const char* id, const char* version,
                                    C... c) {
  return {torch, id, version, {c...}};
}

}  // namespace mortise

#define MORTISE_TEXT_(x) #x
#define MORTISE_TEXT(x) MORTISE_TEXT_(x)

/// Ends a plugin's source: `MORTISE_PLUGIN("org.lab.text", "1.2.0", component<…>(…), …)`.
///
/// Once per file that is loaded. Writes the manifest into the ELF note that the host reads without
/// loading the file, and defines the one exported function.
#define MORTISE_PLUGIN(...)                                                                        \
  static constexpr auto mortise_listing =                                                          \
      ::mortise::plugin(MORTISE_TEXT(MORTISE_TORCH), __VA_ARGS__);                                 \
  extern "C" {                                                                                     \
  __attribute__((section(".note.mortise"), used, aligned(4))) extern constexpr auto mortise_note = \
      ::mortise::kit::note<mortise_listing>();                                                     \
  __attribute__((visibility("default"))) const mt_plugin_v1* mortise_plugin(void) {                \
    using Tables = ::mortise::kit::Tables<mortise_listing>;                                        \
    static constexpr mt_plugin_v1 table = {::mortise::kit::head_of<mt_plugin_v1>(),                \
                                           mortise_note.text, Tables::pointers.data(),             \
                                           Tables::count};                                         \
    return &table;                                                                                 \
  }                                                                                                \
  }                                                                                                \
  static_assert(true)
