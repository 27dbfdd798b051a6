// What `data pack` reads, and that the result depends on nothing else.

#include <fcntl.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "plugins/data/pbin/side_file.hpp"
#include "tests/unit/corpus/compressed.hpp"
#include "tests/unit/corpus/packing.hpp"

namespace {

using namespace mortise::tests;

std::string record(const std::string& text) { return "{\"text\":\"" + text + "\"}\n"; }

// Documents of very different sizes; some are longer than a batch.
std::string some_records(int count) {
  std::mt19937 random(11);
  std::string all;
  for (int i = 0; i != count; ++i) {
    const std::size_t size = random() % 1000 == 0 ? 1500000 : random() % 400;
    all += record(std::to_string(i) + std::string(size, char('a' + random() % 26)));
  }
  return all;
}

}  // namespace

TEST_CASE("data pack: the same bytes for 1, 2 and 8 workers") {
  const Packing f;
  f.in.write("a.jsonl", some_records(20000));
  f.in.write("b.txt", std::string(3000000, 'x'));
  f.in.write("c.jsonl.gz", gzip(some_records(500)));
  std::string packed, side, held;
  for (const std::int64_t workers : {1, 2, 8}) {
    CAPTURE(workers);
    f.pack({"a.jsonl", "b.txt", "c.jsonl.gz"},
           {{"workers", workers}, {"overwrite", true}, {"hold_out", mortise::percent(10)}});
    if (packed.empty()) {
      packed = f.out.read("o.pbin");
      side = f.out.read("o.pbin.json");
      held = f.out.read("o.held_out.pbin");
    }
    CHECK(f.out.read("o.pbin") == packed);
    CHECK(f.out.read("o.pbin.json") == side);
    CHECK(f.out.read("o.held_out.pbin") == held);
  }
}

TEST_CASE("data pack: compressed files give what the plain ones give") {
  const Packing f;
  const std::string text = some_records(3000);
  f.in.write("a.jsonl", text);
  f.pack({"a.jsonl"});
  const std::string plain = f.out.read("o.pbin");
  f.in.write("b.jsonl.gz", gzip(text));
  f.in.write("b.jsonl.zst", zstd(text));
  for (const char* name : {"b.jsonl.gz", "b.jsonl.zst"}) {
    f.pack({name}, {{"overwrite", true}});
    CHECK(f.out.read("o.pbin") == plain);
  }
}

TEST_CASE("data pack: a folder stands for its files, sorted, without hidden ones") {
  const Packing f;
  std::filesystem::create_directories(f.in.path("d/sub/.hidden"));
  f.in.write("d/b.txt", "b");
  f.in.write("d/a.jsonl", record("a"));
  f.in.write("d/sub/c.txt", "c");
  f.in.write("d/.swp", "no");
  f.in.write("d/sub/.hidden/x.txt", "no");
  f.pack({"d"}, {{"eod", "none"}});
  CHECK(documents(f.out.path("o.pbin")) == std::vector<Tokens>{{'a'}, {'b'}, {'c'}});
  std::filesystem::create_directories(f.in.path("empty"));
  CHECK(contains(f.refusal({"empty"}, {{"overwrite", true}}), "no files in this folder"));
  f.in.write("d/t.parquet", "PAR1");
  CHECK(contains(f.refusal({"d"}, {{"overwrite", true}}), "t.parquet: Parquet"));
}

TEST_CASE("data pack: format says what a name does not") {
  const Packing f;
  f.in.write("a.log", record("a") + record("b"));
  f.in.write("b.jsonl", "{x");
  f.pack({"a.log"}, {{"format", "jsonl"}, {"eod", "none"}});
  CHECK(documents(f.out.path("o.pbin")) == std::vector<Tokens>{{'a'}, {'b'}});
  f.pack({"b.jsonl"}, {{"format", "text"}, {"eod", "none"}, {"overwrite", true}});
  CHECK(documents(f.out.path("o.pbin")) == std::vector<Tokens>{{'{', 'x'}});
}

TEST_CASE("data pack: - is standard input, compressed or not") {
  for (const bool compressed : {false, true}) {
    const Packing f;
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const int kept = ::dup(STDIN_FILENO);
    ::dup2(ends[0], STDIN_FILENO);
    std::thread writer([&] {
      const std::string text = record("a") + record("b");
      const std::string bytes = compressed ? zstd(text) : text;
      const std::size_t half = bytes.size() / 2;
      CHECK(::write(ends[1], bytes.data(), half) > 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(120));
      CHECK(::write(ends[1], bytes.data() + half, bytes.size() - half) > 0);
      ::close(ends[1]);
    });
    f.pack({"-"}, {{"eod", "none"}});
    writer.join();
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
    ::close(ends[0]);
    CHECK(documents(f.out.path("o.pbin")) == std::vector<Tokens>{{'a'}, {'b'}});
    CHECK(contains(f.refusal({"-", "-"}, {{"overwrite", true}}), "given twice"));
  }
}

TEST_CASE("data pack: one document of one long line, and a million of one byte") {
  const Packing f;
  f.in.write("a.jsonl", record(std::string(40 << 20, 'w')));
  f.pack({"a.jsonl"});
  CHECK(mortise::token_files::TokenFile(f.out.path("o.pbin")).tokens() == (40 << 20) + 1);
  std::string many;
  for (int i = 0; i != 1000000; ++i) many += record("x");
  f.in.write("b.jsonl", many);
  f.pack({"b.jsonl"}, {{"overwrite", true}});
  const mortise::token_files::TokenFile file(f.out.path("o.pbin"));
  CHECK(file.documents().size() == 1000000);
  CHECK(file.tokens() == 2000000);
}
