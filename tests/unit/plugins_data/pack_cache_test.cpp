// One process packs, the others wait (D-09). Locks belong to open files, so threads stand for
// processes here.

#include "plugins/data/text/pack_cache.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mortise/error.hpp>
#include <thread>

#include "plugins/data/token_files/token_file.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using mortise::pbin::PbinWriter;

void pack_one(PbinWriter& writer) {
  writer.add(std::vector<std::uint32_t>{1, 2, 3});
  writer.end_document();
  writer.finish({});
}

}  // namespace

TEST_CASE("pack cache: of many that want a copy one makes it, all get it") {
  for (int again = 0; again != 20; ++again) {
    const ScratchFolder folder;
    std::atomic<int> packed = 0, right = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t != 6; ++t)
      threads.emplace_back([&] {
        const std::string path =
            mortise::text::cached(folder.path(), "key", 257, [&](PbinWriter& w) {
              ++packed;
              std::this_thread::sleep_for(std::chrono::milliseconds(5));
              pack_one(w);
            });
        if (mortise::token_files::TokenFile(path).tokens() == 3) ++right;
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(packed == 1);
    CHECK(right == 6);
    CHECK(folder.names() == std::vector<std::string>{"key.pbin", "key.pbin.json"});
  }
}

TEST_CASE("pack cache: when the one that packs fails, another one takes over") {
  const ScratchFolder folder;
  std::atomic<int> tries = 0, failed = 0, done = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t != 5; ++t)
    threads.emplace_back([&] {
      try {
        mortise::text::cached(folder.path(), "key", 257, [&](PbinWriter& w) {
          const int my_try = ++tries;
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          if (my_try <= 2) throw mortise::DataError("bad");
          pack_one(w);
        });
        ++done;
      } catch (const mortise::DataError&) {
        ++failed;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(tries == 3);
  CHECK(failed == 2);
  CHECK(done == 3);
  CHECK(folder.names() == std::vector<std::string>{"key.pbin", "key.pbin.json"});
}

TEST_CASE("pack cache: the folder is the one asked for, else the user's") {
  CHECK(mortise::text::cache_folder("/a/b") == "/a/b");
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  CHECK(mortise::text::cache_folder("") == "/xdg/mortise/packed");
  ::setenv("XDG_CACHE_HOME", "relative", 1);  // as the XDG specification has it: ignored
  ::setenv("HOME", "/home/me", 1);
  CHECK(mortise::text::cache_folder("") == "/home/me/.cache/mortise/packed");
  ::unsetenv("HOME");
  CHECK_THROWS_AS(mortise::text::cache_folder(""), mortise::ConfigError);
}
