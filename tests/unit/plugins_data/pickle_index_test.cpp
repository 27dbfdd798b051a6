// The index of packed files: bytes as Python writes them, and reading that trusts nothing.

#include "plugins/data/pbin/pickle_index.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <mortise/error.hpp>
#include <sstream>

#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using mortise::pbin::IndexEntry;

std::vector<IndexEntry> read_index(std::string_view pickle, const std::string& file) {
  std::vector<IndexEntry> entries;
  mortise::pbin::read_index(pickle, file, [&](const IndexEntry& e) { entries.push_back(e); });
  return entries;
}

std::string written(const std::vector<std::uint64_t>& ends) {
  std::string bytes;
  mortise::pbin::write_index(ends, [&](std::string_view part) { bytes += part; });
  return bytes;
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit != 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

// As in make_pbin_golden.py.
std::vector<std::uint64_t> ends_of(const std::string& kind, std::uint64_t count) {
  std::vector<std::uint64_t> ends;
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i != count; ++i)
    ends.push_back(end += i * 7919 % 500 + (kind == "short" ? 1 : 1u << 28));
  return ends;
}

}  // namespace

TEST_CASE("pickle_index: bytes are those of Python's pickle, and read back") {
  // Of Python itself, and of Modalities' writer.
  std::stringstream rows;
  for (const char* file :
       {"/tests/golden/pbin/indices.txt", "/tests/golden/token_files/indices.txt"})
    rows << std::ifstream(MORTISE_SOURCE_DIR + std::string(file)).rdbuf();
  std::uint64_t count, size;
  std::uint32_t crc;
  std::string kind;
  int seen = 0;
  while (rows >> count >> kind >> size >> crc) {
    CAPTURE(count);
    CAPTURE(kind);
    const auto ends = ends_of(kind, count);
    const std::string bytes = written(ends);
    CHECK(bytes.size() == size);
    CHECK(crc32(bytes) == crc);
    const auto entries = read_index(bytes, "x.pbin");
    REQUIRE(entries.size() == count);
    for (std::size_t i = 0; i != entries.size(); ++i) {
      const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
      REQUIRE(entries[i] == IndexEntry{begin, ends[i] - begin});
    }
    ++seen;
  }
  CHECK(seen == 18);
}

TEST_CASE("pickle_index: other protocols and put opcodes of a list of pairs are read") {
  using namespace std::string_literals;
  // pickle.dumps([(0, 6), (6, 300)], protocol=2)
  CHECK(read_index("\x80\x02]q\x00(K\x00K\x06\x86q\x01K\x06M,\x01\x86q\x02\x65."s, "x") ==
        std::vector<IndexEntry>{{0, 6}, {6, 300}});
  CHECK(read_index("\x80\x04]\x94."s, "x").empty());
}

TEST_CASE("pickle_index: what is no list of pairs is refused with its place") {
  using namespace std::string_literals;
  struct Row {
    const char* what;
    std::string bytes, message;
  };
  const std::string good = written({6, 306, 70000});
  for (const Row& row :
       {Row{"empty", "", "cut off"}, Row{"cut off", good.substr(0, good.size() - 3), "cut off"},
        Row{"follow-up", good + "x", "something follows"},
        Row{"runs code", "\x80\x04\x8c\x02os\x8c\x06system\x93."s, "opcode 140"},
        Row{"global", "cos\nsystem\n."s, "opcode 99"},
        Row{"negative", "\x80\x04]\x94K\x00J\xff\xff\xff\xff\x86\x94\x61."s, "negative"},
        Row{"too large",
            "\x80\x04]\x94K\x00\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01\x86\x94\x61."s,
            "too large"},
        Row{"triple", "\x80\x04]\x94(K\x00K\x01K\x02\x86\x94\x65."s, "pairs"},
        Row{"pair of one", "\x80\x04]\x94(K\x00\x86\x94\x65."s, "pairs"},
        Row{"two lists", "\x80\x04]]."s, "one list"},
        Row{"open mark", "\x80\x04]\x94(K\x00K\x01\x86\x94."s, "no complete list"},
        Row{"no list", "\x80\x04."s, "no complete list"},
        Row{"number without a list", "\x80\x04K\x01."s, "pairs"},
        Row{"protocol 9", "\x80\x09]."s, "protocol 9"}}) {
    CAPTURE(row.what);
    const std::string message =
        message_of<mortise::DataError>([&] { read_index(row.bytes, "x.pbin"); });
    CAPTURE(message);
    CHECK(contains(message, row.message));
    CHECK(contains(message, "x.pbin"));
  }
}
