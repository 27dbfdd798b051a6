// Two plugins with different drafts of one interface keep their own tables, even when they are
// built with default visibility and without the version script. Symptom otherwise: the dynamic
// linker unites the tables (STB_GNU_UNIQUE), and the second plugin runs with the first one's slots.

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <mortise/c/base.h>

#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;

// An interface with METHODS methods; `table` is what a plugin would hand to the host.
constexpr const char* kSource = R"(
#include <mortise/kit/call.hpp>
struct draft_v1 {
  mt_head head;
  mt_status (*one)(void*, int64_t*, const mt_error_sink*);
#if METHODS > 1
  mt_status (*two)(void*, int64_t*, const mt_error_sink*);
#endif
};
OPENED {
class Draft : public mortise::Interface {
 public:
  virtual std::int64_t one() const { return 1; }
#if METHODS > 1
  virtual std::int64_t two() const { return 2; }
#endif
};
template <class I> struct Table {
#if METHODS > 1
  static constexpr draft_v1 table = mortise::kit::Methods<&Draft::one, &Draft::two>::table<draft_v1>();
#else
  static constexpr draft_v1 table = mortise::kit::Methods<&Draft::one>::table<draft_v1>();
#endif
};
}
extern "C" const mt_head* table() { return &mortise::Table<mortise::Draft>::table.head; }
)";

const mt_head* built_table(const ScratchFolder& folder, const std::string& name, int methods,
                           const std::string& opened) {
  const std::string source = folder.write(name + ".cpp", kSource),
                    library = folder.path(name + ".so");
  const std::string command =
      "c++ -std=c++20 -O1 -fPIC -fvisibility=default -shared -DMETHODS=" + std::to_string(methods) +
      " '-DOPENED=" + opened + "' -I " MORTISE_SOURCE_DIR "/sdk/include -o " + library + " " +
      source + " > " + library + ".log 2>&1";
  REQUIRE_MESSAGE(std::system(command.c_str()) == 0, folder.read(name + ".so.log"));
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(handle != nullptr, ::dlerror());
  return reinterpret_cast<const mt_head* (*)()>(::dlsym(handle, "table"))();
}

}  // namespace

TEST_CASE("tables: those of two plugins stay apart where the namespace is opened as hidden") {
  const ScratchFolder folder;
  const std::string hidden = "namespace [[gnu::visibility(\"hidden\")]] mortise";
  const mt_head* const one = built_table(folder, "one", 1, hidden);
  const mt_head* const two = built_table(folder, "two", 2, hidden);
  CHECK(one != two);
  CHECK(one->struct_size == 16);
  CHECK(two->struct_size == 24);
}

#if defined(__GNUC__) && !defined(__clang__)
TEST_CASE("tables: without that they are one, so the case above can fail") {
  const ScratchFolder folder;
  const mt_head* const one = built_table(folder, "plain_one", 1, "namespace mortise");
  const mt_head* const two = built_table(folder, "plain_two", 2, "namespace mortise");
  CHECK(one == two);
}
#endif
