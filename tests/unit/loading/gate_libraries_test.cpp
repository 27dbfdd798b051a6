// P1014: libraries that a plugin needs, found by the rules of the dynamic linker.

#include <doctest/doctest.h>

#include "host/loading/gate/library_closure.hpp"
#include "plugin_bytes.hpp"

namespace mortise::tests {
namespace {

using host::Judgement;
using host::PluginFinding;

constexpr const char* kExtra = "loading_fixture_extra/libmortise_extra.so";
constexpr const char* kExtraNeedsMore = "loading_fixture_extra_more/libmortise_extra.so";
constexpr const char* kMore = "loading_fixture_more/libmortise_more.so";

const PluginFinding& only_finding(const Judgement& judgement, const std::string& id) {
  CAPTURE(describe(judgement.file, judgement.findings));
  REQUIRE(finding(judgement, id) != nullptr);
  return *finding(judgement, id);
}

TEST_CASE("gate libraries: a library beside the plugin is found through $ORIGIN") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "my plug ins");
  fs::create_directory(folder / "my plug ins/größe");
  const fs::path file = folder.copy("needs_library.so", "my plug ins/größe/x.so");
  folder.copy(kExtra, "my plug ins/größe/libmortise_extra.so");
  const Judgement judgement = judge(file, fitting_host());
  CAPTURE(describe(judgement.file, judgement.findings));
  CHECK(judgement.accepted());
}

TEST_CASE("gate libraries: a missing library is named with the plugin that needs it") {
  const TemporaryFolder folder;
  const fs::path file = folder.copy("needs_library.so", "x.so");
  const Judgement judgement = judge(file, fitting_host());
  CHECK_FALSE(judgement.accepted());
  const PluginFinding& found = only_finding(judgement, "P1014");
  CHECK(found.what == "needs libmortise_extra.so, not found beside the plugin or in the system");
  CHECK(contains(found.expected, folder.path().string()));
  CHECK(found.got == "no such file");
  CHECK(contains(found.advice, "put libmortise_extra.so into"));
  CHECK(only_finding(judgement, "P1016").what == "missing `extra`");
}

TEST_CASE("gate libraries: a library beside the plugin that RUNPATH does not name is told so") {
  const TemporaryFolder folder;
  const std::string bytes = patched(bytes_of(fixture("needs_library.so")), "$ORIGIN", "/nowher");
  const fs::path file = write_bytes(folder / "x.so", bytes);
  folder.copy(kExtra, "libmortise_extra.so");
  const Judgement judgement = judge(file, fitting_host());
  const PluginFinding& found = only_finding(judgement, "P1014");
  CHECK(contains(found.what, "lies beside the plugin but is not looked for there"));
  CHECK(contains(found.expected, "RUNPATH of $ORIGIN in the plugin"));
  CHECK(contains(found.advice, "-Wl,-rpath,'$ORIGIN'"));
  CHECK(
      contains(describe(file, judgement.findings), "looks for libraries in a fixed folder first"));
}

TEST_CASE("gate libraries: what a needed library needs is looked for too") {
  const TemporaryFolder folder;
  const fs::path file = folder.copy("needs_library.so", "x.so");
  folder.copy(kExtraNeedsMore, "libmortise_extra.so");
  const Judgement refused = judge(file, fitting_host());
  CHECK(contains(only_finding(refused, "P1014").what,
                 "needs libmortise_more.so (through libmortise_extra.so)"));
  folder.copy(kMore, "libmortise_more.so");
  CHECK(judge(file, fitting_host()).accepted());
}

TEST_CASE("gate libraries: a damaged library counts as missing and is described") {
  const TemporaryFolder folder;
  const fs::path file = folder.copy("needs_library.so", "x.so");
  write_bytes(folder / "libmortise_extra.so", "");
  const PluginFinding found = only_finding(judge(file, fitting_host()), "P1014");
  CHECK(contains(found.got, "libmortise_extra.so, but it is an empty file"));
}

// Renames what the plugin needs to a library of the host's.
Judgement judge_needing(const std::string& name, const TemporaryFolder& folder,
                        const host::HostIdentity& host, bool beside) {
  std::string padded = name;
  padded.resize(std::string("libmortise_extra.so").size(), '\0');
  const std::string bytes =
      patched(bytes_of(fixture("needs_library.so")), "libmortise_extra.so", padded);
  const fs::path file = write_bytes(folder / "x.so", bytes);
  if (beside) folder.copy(kExtra, name);
  return judge(file, host);
}

TEST_CASE("gate libraries: a private LibTorch, C++ runtime or OpenMP is refused") {
  host::HostIdentity host = fitting_host();
  host.libraries.clear();  // so that the copy beside the plugin is the one that would load
  for (const char* name : {"libtorch_cpu.so", "libc10.so", "libstdc++.so.6", "libgomp-1a2b.so.1"}) {
    CAPTURE(name);
    const TemporaryFolder folder;
    const Judgement judgement = judge_needing(name, folder, host, true);
    const PluginFinding& found = only_finding(judgement, "P1014");
    CHECK(found.what == std::string("brings its own ") + name);
    CHECK(contains(found.expected, "that the host has loaded"));
    CHECK(contains(found.got, folder.path().string()));
    CHECK_FALSE(found.advice.empty());
  }
}

TEST_CASE("gate libraries: another C++ runtime than libstdc++ is refused") {
  for (const char* name : {"libc++.so.1", "libc++abi.so.1"}) {
    CAPTURE(name);
    const TemporaryFolder folder;
    const PluginFinding found =
        only_finding(judge_needing(name, folder, fitting_host(), true), "P1013");
    CHECK(found.what == "built with another C++ runtime");
    CHECK(found.got == name);
    CHECK(contains(found.advice, "-stdlib=libstdc++"));
  }
}

TEST_CASE("gate libraries: CUDA libraries that the host has not loaded point to device: cuda") {
  const TemporaryFolder folder;
  const Judgement judgement = judge_needing("libtorch_cuda.so", folder, fitting_host(), false);
  const PluginFinding& found = only_finding(judgement, "P1014");
  CHECK(contains(found.what, "needs libtorch_cuda.so, which this host has not loaded"));
  CHECK(contains(found.advice, "device: cuda"));
}

TEST_CASE("gate libraries: with device: cuda the libraries beside the host's LibTorch count") {
  const TemporaryFolder torch, plugins;
  torch.copy(kExtra, "libtorch_cuda.so");
  host::HostIdentity host = fitting_host();
  host.device_cuda = true;
  host.libraries.push_back({"libc10.so", torch / "libc10.so", {}});
  const Judgement judgement = judge_needing("libtorch_cuda.so", plugins, host, false);
  CAPTURE(describe(judgement.file, judgement.findings));
  CHECK(judgement.accepted());
}

TEST_CASE("gate libraries: a library named by its path is refused") {
  const TemporaryFolder folder;
  const Judgement judgement = judge_needing("./libextra.so", folder, fitting_host(), true);
  CHECK(contains(only_finding(judgement, "P1014").what, "needs ./libextra.so by its path"));
}

TEST_CASE("gate libraries: $ORIGIN is the folder of the file, also inside braces") {
  CHECK(host::expand_origin("$ORIGIN", "/a b") == fs::path("/a b"));
  CHECK(host::expand_origin("${ORIGIN}/lib", "/a") == fs::path("/a/lib"));
  CHECK(host::expand_origin("/x", "/a") == fs::path("/x"));
  CHECK(host::begins_with_origin("$ORIGIN/../lib"));
  CHECK_FALSE(host::begins_with_origin("$ORIGINAL"));
}

}  // namespace
}  // namespace mortise::tests
