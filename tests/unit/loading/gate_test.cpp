#include <doctest/doctest.h>
#include <sys/stat.h>

#include <vector>

#include "plugin_bytes.hpp"

namespace mortise::tests {
namespace {

using host::Judgement;
using host::PluginFinding;
using host::TrustPolicy;

struct Row {
  const char* id;
  const char* what;
  const char* expected;
  const char* got;
  const char* advice;
};

// The finding of that id says all four things, and the text of it names file and id.
void check_refused(const Judgement& judgement, const Row& row) {
  CAPTURE(row.id);
  CAPTURE(describe(judgement.file, judgement.findings));
  CHECK_FALSE(judgement.accepted());
  const PluginFinding* found = finding(judgement, row.id);
  REQUIRE(found != nullptr);
  CHECK(contains(found->what, row.what));
  CHECK(contains(found->expected, row.expected));
  CHECK(contains(found->got, row.got));
  CHECK(contains(found->advice, row.advice));
  const std::string text = describe(judgement.file, *found);
  CHECK(text.starts_with(judgement.file.string() + ": error[" + row.id + "]: "));
}

TEST_CASE("gate: a plugin that fits is accepted without a finding") {
  const Judgement judgement = judge(fixture("good.so"), fitting_host());
  CAPTURE(describe(judgement.file, judgement.findings));
  CHECK(judgement.accepted());
  CHECK(judgement.findings.empty());
  REQUIRE(judgement.manifest.has_value());
  CHECK(judgement.manifest->id == "org.mortise.fixture.good");
  CHECK(judgement.identity.size == fs::file_size(fixture("good.so")));
}

TEST_CASE("gate: plugins built wrong are refused with id, expected, got and what to do") {
  struct Built {
    const char* file;
    Row row;
  };
  for (const Built& built :
       {Built{"missing_entry.so",
              {"P1015", "has no entry point", "`mortise_plugin`", "mortise_plug_in",
               "MORTISE_PLUGIN"}},
        Built{"extra_export.so",
              {"P1015", "exports 1 symbol besides its entry point, first: `forgotten_global`",
               "only `mortise_plugin`", "forgotten_global", "version script"}},
        Built{"undefined_symbol.so",
              {"P1016", "missing `c10::never_released(c10::Device const&, double)`",
               "every symbol defined", "1 that nobody defines", "rebuild against LibTorch 2.11.0"}},
        Built{"old_string_abi.so",
              {"P1016", "missing `c10::take_name(std::string const&)`", "every symbol defined",
               "1 that nobody defines", "_GLIBCXX_USE_CXX11_ABI=0"}},
        Built{"executable_stack.so",
              {"P1017", "has an executable stack", "data only", "PT_GNU_STACK",
               "-Wl,-z,noexecstack"}},
        Built{"text_relocation.so",
              {"P1017", "has text relocations", "loads anywhere unchanged", "DT_TEXTREL", "-fPIC"}},
        Built{"static_runtime.so",
              {"P1014", "carries its own C++ runtime", "libstdc++.so.6", "a static libstdc++",
               "-static-libstdc++"}},
        Built{"executable",
              {"P1002", "is an executable", "shared object", "executable", "mortise_add_plugin()"}},
        Built{"unlinked.o",
              {"P1002", "is an object file", "shared object", "not linked",
               "mortise_add_plugin()"}}}) {
    CAPTURE(built.file);
    check_refused(judge(fixture(built.file), fitting_host()), built.row);
  }
}

TEST_CASE("gate: a manifest that does not fit the host is refused") {
  struct Patch {
    const char* from;
    const char* to;
    Row row;
  };
  const std::string good = bytes_of(fixture("good.so"));
  const TemporaryFolder folder;
  for (const Patch& patch :
       {Patch{"\"sdk\":\"0.1\"",
              "\"sdk\":\"2.0\"",
              {"P1010", "built for SDK 2.0, this host provides 0.1", "SDK 0.x", "SDK 2.0",
               "rebuild with SDK 0.1 or use a host of SDK 2.x"}},
        Patch{"a1b2c3d4e5f60718",
              "a1b2c3d4e5f60719",
              {"P1011", "another draft of mortise/tokenizer/1: method 2 differs",
               "a1b2c3d4e5f60718", "a1b2c3d4e5f60719", "rebuild with SDK 0.1"}},
        Patch{"\"torch\":\"2.11.0\"",
              "\"torch\":\"2.12.0\"",
              {"P1012", "built for LibTorch 2.12.0, host runs 2.11.0", "LibTorch 2.11.x",
               "LibTorch 2.12.0", "rebuild against LibTorch 2.11"}},
        Patch{"\"cxx11_abi\": true",
              "\"cxx11_abi\":false",
              {"P1013", "old C++ ABI", "_GLIBCXX_USE_CXX11_ABI=1", "_GLIBCXX_USE_CXX11_ABI=0",
               "rebuild without"}},
        Patch{"\"sdk\":\"0.1\"",
              "\"sdk\":\"0.x\"",
              {"P1003", "`sdk` is no version of the SDK", "MAJOR.MINOR", "0.x", "rebuild"}},
        Patch{"{\"id\":",
              "{ \"id:",
              {"P1003", "manifest is not readable", "JSON", "parse error", "rebuild"}},
        Patch{"MORTISE",
              "MORTICE",
              {"P1003", "has no manifest: not built with the SDK", "note of owner MORTISE", "none",
               "MORTISE_PLUGIN"}}}) {
    CAPTURE(patch.to);
    const auto file = write_bytes(folder / "patched.so", patched(good, patch.from, patch.to));
    check_refused(judge(file, fitting_host()), patch.row);
  }
}

TEST_CASE("gate: all findings of a file come at once") {
  std::string bytes = bytes_of(fixture("executable_stack.so"));
  bytes = patched(bytes, "\"sdk\":\"0.1\"", "\"sdk\":\"9.1\"");
  bytes = patched(bytes, "\"torch\":\"2.11.0\"", "\"torch\":\"2.10.1\"");
  const TemporaryFolder folder;
  const Judgement judgement = judge(write_bytes(folder / "x.so", bytes), fitting_host());
  std::vector<std::string> ids;
  for (const PluginFinding& found : judgement.findings) ids.push_back(found.id);
  CHECK(ids == std::vector<std::string>{"P1010", "P1012", "P1017"});
}

TEST_CASE("gate: an old SDK of the same major and an appended method are no reason to refuse") {
  host::HostIdentity host = fitting_host();
  host.sdk_minor = 7;
  host.tables["mortise/tokenizer/1"] = "a1b2c3d4e5f6071899887766";
  CHECK(judge(fixture("good.so"), host).accepted());
  host.tables["mortise/tokenizer/1"] = "a1b2c3d4";
  CHECK(judge(fixture("good.so"), host).accepted());
}

TEST_CASE("gate: a patch release of LibTorch and a local build number are the same series") {
  host::HostIdentity host = fitting_host();
  for (const char* version : {"2.11.3", "2.11.0+cpu"}) {
    host.torch = version;
    CHECK(judge(fixture("good.so"), host).accepted());
  }
  host.torch = "";
  check_refused(judge(fixture("good.so"), host),
                {"P1012", "built for LibTorch 2.11.0", "no LibTorch", "2.11.0", "LibTorch"});
}

TEST_CASE("gate: a plugin for another accelerator than the host's is refused") {
  host::HostIdentity host = fitting_host();
  const TemporaryFolder folder;
  const fs::path file =
      write_bytes(folder / "x.so", patched(bytes_of(fixture("good.so")), "\"accelerator\":\"none\"",
                                           "\"accelerator\":\"cuda\""));
  CHECK(judge(file, host).accepted());  // this host has none: nothing to differ from
  host.accelerator = "cuda-13";
  check_refused(judge(file, host),
                {"P1012", "built for cuda", "none or cuda-13", "cuda", "LibTorch for cuda-13"});
}

TEST_CASE("gate: versions of the C and C++ libraries beyond the system's are refused") {
  host::HostIdentity host = fitting_host();
  bool found_libc = false;
  for (host::LoadedLibrary& library : host.libraries)
    if (library.name == "libc.so.6") {
      library.versions = {"GLIBC_2.2.4"};
      found_libc = true;
    }
  REQUIRE(found_libc);
  check_refused(judge(fixture("static_runtime.so"), host),
                {"P1013", "of libc.so.6, this system offers GLIBC_2.2.4", "at most GLIBC_2.2.4",
                 "GLIBC_2.", "baseline image"});
}

TEST_CASE("gate: what is no file, or no plugin at all, gives one clear finding") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "folder.so");
  write_bytes(folder / "empty.so", "");
  write_bytes(folder / "text.so", "hello");
  write_bytes(folder / "cut.so", bytes_of(fixture("good.so")).substr(0, 4000));
  REQUIRE(::mkfifo((folder / "pipe.so").c_str(), 0600) == 0);
  struct File {
    const char* name;
    Row row;
  };
  for (const File& file :
       {File{"absent.so", {"P1001", "does not exist", "plugin file", "No such file", "path"}},
        File{"folder.so", {"P1001", "is a directory", "regular file", "directory", ".so file"}},
        File{"pipe.so", {"P1001", "is a named pipe", "regular file", "pipe", ".so file"}},
        File{"empty.so", {"P1002", "is an empty file", "shared object", "empty", "complete"}},
        File{"text.so", {"P1002", "is a text file", "shared object", "hello", "complete"}},
        File{"cut.so",
             {"P1002", "truncated: ", "inside the file", "a file of 4,000 bytes",
              "copy the file again"}}}) {
    CAPTURE(file.name);
    const Judgement judgement = judge(folder / file.name, fitting_host());
    CHECK(judgement.findings.size() == 1);
    check_refused(judgement, file.row);
  }
}

TEST_CASE("gate: files and folders that others can write are refused under the policy require") {
  const TemporaryFolder folder;
  const fs::path file = folder.copy("good.so", "x.so");
  host::HostIdentity host = fitting_host();
  fs::permissions(file, fs::perms(0664));
  CHECK(judge(file, host).accepted());

  host.policy = TrustPolicy::warn;
  const Judgement warned = judge(file, host);
  CHECK(warned.accepted());
  REQUIRE(finding(warned, "P1001") != nullptr);
  CHECK(contains(describe(file, warned.findings), "warning[P1001]: file is writable by others"));

  host.policy = TrustPolicy::require;
  check_refused(judge(file, host), {"P1001", "file is writable by others", "only its owner",
                                    "mode 0664", "chmod go-w"});
  fs::permissions(file, fs::perms(0644));
  CHECK(judge(file, host).accepted());
  fs::permissions(folder.path(), fs::perms(0777));
  check_refused(judge(file, host), {"P1001", "folder is writable by others", "only its owner",
                                    "mode 0777", "chmod go-w"});
}

TEST_CASE("gate: names in a file cannot steer the terminal") {
  const PluginFinding odd{"P1016", "missing `\x1b[2J`", "a", "b\n", "c"};
  const std::string text = describe("/x/\x07.so", odd);
  CHECK(contains(text, "/x/\\x07.so"));
  CHECK(contains(text, "\\x1b[2J"));
  CHECK(contains(in_one_line(odd), "b\\x0a"));
}

}  // namespace
}  // namespace mortise::tests
