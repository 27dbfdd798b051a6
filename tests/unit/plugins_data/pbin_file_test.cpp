// Packed token files: written, read, refused.

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <mortise/error.hpp>

#include "plugins/data/pbin/pbin_writer.hpp"
#include "plugins/data/pbin/pickle_index.hpp"
#include "plugins/data/token_files/token_file.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using mortise::pbin::PartialFile;
using mortise::pbin::PbinWriter;
using mortise::token_files::TokenFile;
using mortise::token_files::TokenSpan;

using Documents = std::vector<std::vector<std::uint32_t>>;

void write(const std::string& path, const Documents& documents, std::uint32_t width) {
  PbinWriter writer(path, width, PartialFile::Busy::fail);
  for (const auto& ids : documents) {
    writer.add(ids);
    writer.end_document();
  }
  writer.finish({});
  writer.publish();
}

std::vector<std::int64_t> tokens(const TokenFile& file, TokenSpan span) {
  std::vector<std::int64_t> all(std::size_t(span.size));
  file.read(span.first, span.size, all.data());
  return all;
}

std::string header(std::uint64_t bytes, std::uint32_t width) {
  std::string text(12, '\0');
  std::memcpy(text.data(), &bytes, 8);
  std::memcpy(text.data() + 8, &width, 4);
  return text;
}

}  // namespace

TEST_CASE("pbin: a file has the bytes that Modalities writes for the same documents") {
  const ScratchFolder folder;
  std::vector<std::uint32_t> last(300, 99);
  last.push_back(256);
  write(folder.path("a.pbin"), {{97, 97, 256}, {98, 256}, {256}, last}, 2);
  std::ifstream golden(MORTISE_SOURCE_DIR "/tests/golden/pbin/four_documents.pbin",
                       std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(golden), {}};
  CHECK(expected.size() > 600);
  CHECK(folder.read("a.pbin") == expected);
}

TEST_CASE("pbin: each document comes back, in every width (D-08)") {
  const ScratchFolder folder;
  for (const std::uint32_t width : {1u, 2u, 4u}) {
    CAPTURE(width);
    const std::uint32_t largest =
        width == 4 ? std::numeric_limits<std::uint32_t>::max() : (1u << 8 * width) - 1;
    const Documents documents = {{1, 1, 0}, {largest, 0}, {0}, {}, {3, 3, 3, 3, 0}};
    write(folder.path("a.pbin"), documents, width);
    const TokenFile file(folder.path("a.pbin"));
    CHECK(file.bytes_per_token() == width);
    CHECK(file.tokens() == 11);
    const auto spans = file.documents();
    REQUIRE(spans.size() == documents.size());
    for (std::size_t i = 0; i != spans.size(); ++i)
      CHECK(tokens(file, spans[i]) ==
            std::vector<std::int64_t>(documents[i].begin(), documents[i].end()));
    const auto side = mortise::pbin::read_side_file(file.path());
    REQUIRE(side.has_value());
    CHECK(side->tokens == 11);
    CHECK(side->documents == 5);
    CHECK(side->largest_token == largest);
    CHECK(side->checksum.size() == 16);
  }
}

TEST_CASE("pbin: the width fits the largest id of a vocabulary (D-05)") {
  struct Row {
    std::int64_t vocabulary;
    std::uint32_t width;
  };
  for (const Row& row : {Row{1, 1}, Row{255, 1}, Row{256, 1}, Row{257, 2}, Row{65535, 2},
                         Row{65536, 2}, Row{65537, 4}, Row{std::int64_t(1) << 32, 4}}) {
    CAPTURE(row.vocabulary);
    CHECK(mortise::pbin::bytes_per_token(row.vocabulary) == row.width);
  }
}

TEST_CASE("pbin: an id that does not fit its width is named, and no file is left") {
  const ScratchFolder folder;
  const std::string message = message_of<mortise::DataError>([&] {
    write(folder.path("a.pbin"), {{1, 255, 256, 300}}, 1);
  });
  CHECK(contains(message, "token id 256 does not fit into 1 bytes"));
  CHECK(folder.names().empty());
}

TEST_CASE("pbin: offsets from the start of the file are recognised") {
  const ScratchFolder folder;
  // pickle.dumps([(12, 4), (16, 2)]), as files before Modalities' pull request 164 have it.
  const std::string path =
      folder.write("old.pbin", header(6, 2) + std::string("\1\0\2\0\3\0", 6) +
                                   "\x80\x04]\x94(K\x0cK\x04\x86\x94K\x10K\x02\x86\x94\x65.");
  const TokenFile file(path);
  CHECK(file.documents() == std::vector<TokenSpan>{{0, 2}, {2, 1}});
}

TEST_CASE("pbin: broken files are refused with file and reason") {
  const ScratchFolder folder;
  struct Row {
    const char* what;
    std::string bytes, message;
  };
  for (const Row& row :
       {Row{"empty", "", "0 bytes"}, Row{"half a header", "12345678", "8 bytes"},
        Row{"unfinished", header(0, 0) + "abcdef", "never finished"},
        Row{"unfinished by Modalities", header(0, 2) + "abcdef", "never finished"},
        Row{"three bytes a token", header(6, 3) + "abcdef", "3 bytes per token"},
        Row{"cut off", header(600, 2) + "abcdef", "600 bytes of tokens, the file has 6"},
        Row{"wraps", header(~0ull, 1) + "abcdef", "18446744073709551615 bytes"},
        Row{"odd", header(5, 2) + "abcdef", "no multiple of 2"}}) {
    CAPTURE(row.what);
    const std::string path = folder.write("bad.pbin", row.bytes);
    const std::string message = message_of<mortise::DataError>([&] { TokenFile file(path); });
    CAPTURE(message);
    CHECK(contains(message, path));
    CHECK(contains(message, row.message));
  }
  CHECK(contains(message_of<mortise::DataError>([&] { TokenFile(folder.path("no.pbin")); }),
                 "No such file"));
  CHECK(contains(message_of<mortise::DataError>([&] { TokenFile(folder.path()); }), "is a folder"));
}

TEST_CASE("pbin: an index that does not fit its tokens is refused") {
  const ScratchFolder folder;
  const std::string data = header(6, 2) + "abcdef";
  struct Row {
    const char* what;
    std::string index, message;
  };
  for (const Row& row :
       {Row{"beyond the end", "\x80\x04]\x94K\x04K\x04\x86\x94\x61.", "does not fit"},
        Row{"odd offset", "\x80\x04]\x94K\x01K\x02\x86\x94\x61.", "does not fit"},
        Row{"overlap", "\x80\x04]\x94(K\x02K\x02\x86\x94K\x02K\x02\x86\x94\x65.", "overlaps"},
        Row{"none", "", "cut off"}}) {
    CAPTURE(row.what);
    const TokenFile file(folder.write("bad.pbin", data + row.index));
    CHECK(contains(message_of<mortise::DataError>([&] { file.documents(); }), row.message));
  }
}

TEST_CASE("pbin: files above 4 GiB open at once and read right to their end (D-07)") {
  const ScratchFolder folder;
  const std::string path = folder.write("large.pbin", "");
  const std::uint64_t count = (std::uint64_t(1) << 31) + 1001;  // tokens of two bytes
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(file >= 0);
  const std::string head = header(count * 2, 2);
  const std::uint16_t last[] = {7, 8, 9};
  REQUIRE(::pwrite(file, head.data(), 12, 0) == 12);
  REQUIRE(::pwrite(file, last, sizeof last, off_t(12 + count * 2 - sizeof last)) == sizeof last);
  std::string index;
  mortise::pbin::write_index({6, count * 2 - 6, count * 2},
                             [&](std::string_view b) { index += b; });
  REQUIRE(::pwrite(file, index.data(), index.size(), off_t(12 + count * 2)) ==
          ssize_t(index.size()));
  ::close(file);

  const TokenFile large(path);
  CHECK(large.tokens() == std::int64_t(count));
  const auto spans = large.documents();
  REQUIRE(spans.size() == 3);
  CHECK(tokens(large, spans[0]) == std::vector<std::int64_t>{0, 0, 0});
  CHECK(tokens(large, {std::int64_t(1) << 30, 2}) == std::vector<std::int64_t>{0, 0});
  CHECK(tokens(large, spans[2]) == std::vector<std::int64_t>{7, 8, 9});
}

TEST_CASE("pbin: an unfinished file leaves nothing, a second writer is refused") {
  const ScratchFolder folder;
  {
    PbinWriter writer(folder.path("a.pbin"), 1, PartialFile::Busy::fail);
    writer.add(std::vector<std::uint32_t>{1, 2, 3});
    CHECK(folder.names() == std::vector<std::string>{"a.pbin.ends.partial", "a.pbin.partial"});
    CHECK(contains(message_of<mortise::Error>([&] {
                     PbinWriter second(folder.path("a.pbin"), 1, PartialFile::Busy::fail);
                   }),
                   "is being written by another process"));
  }
  CHECK(folder.names().empty());
  folder.write("a.pbin.partial",
               "left by a killed process, longer than the new file will be ......");
  write(folder.path("a.pbin"), {{1}}, 1);
  CHECK(folder.names() == std::vector<std::string>{"a.pbin", "a.pbin.json"});
  CHECK(folder.read("a.pbin").size() < 50);
}

TEST_CASE("side file: strange values and broken JSON are refused, unknown keys are not") {
  const ScratchFolder folder;
  folder.write("a.pbin.json",
               "{\"tokens\": 5, \"later\": [1], \"sources\": [{\"file\": \"q\\\"\"}]}");
  const auto side = mortise::pbin::read_side_file(folder.path("a.pbin"));
  REQUIRE(side.has_value());
  CHECK(side->tokens == 5);
  CHECK(side->documents == -1);
  CHECK(side->sources.at(0).file == "q\"");
  CHECK_FALSE(mortise::pbin::read_side_file(folder.path("b.pbin")).has_value());
  for (const char* bad : {"{", "[]", "{\"tokens\": \"many\"}", ""}) {
    CAPTURE(bad);
    folder.write("a.pbin.json", bad);
    CHECK(contains(message_of<mortise::DataError>(
                       [&] { mortise::pbin::read_side_file(folder.path("a.pbin")); }),
                   "a.pbin.json"));
  }
}
