// Inputs in gzip and zstd, written by the libraries' own compressors.

#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

#include <mortise/error.hpp>
#include <random>

#include "plugins/data/corpus/byte_source.hpp"
#include "tests/unit/corpus/compressed.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using mortise::corpus::ByteSource;

std::string read_all(const std::string& path, std::size_t step) {
  ByteSource source(path);
  std::string all;
  std::vector<char> part(step);
  while (const std::size_t n = source.read(part.data(), part.size())) all.append(part.data(), n);
  return all;
}

std::string some_text(std::size_t size) {
  std::mt19937 random(7);
  std::string text;
  while (text.size() < size) text += "word" + std::to_string(random() % 5000) + "\n";
  text.resize(size);
  return text;
}

}  // namespace

TEST_CASE("compressed input: whole, in parts of any size, one after the other") {
  const ScratchFolder folder;
  for (const std::size_t size : {0, 1, 100, 262144, 3000000}) {
    const std::string text = some_text(size);
    const std::string half = text.substr(0, size / 2), rest = text.substr(size / 2);
    const std::string files[] = {
        folder.write("plain", text),
        folder.write("a.gz", gzip(text)),
        folder.write("a.zst", zstd(text)),
        folder.write("no_ending", gzip(text)),
        folder.write("z_no_ending", zstd(text)),
        folder.write("members.gz", gzip(half) + gzip(rest) + std::string(512, '\0')),
        folder.write("frames.zst", zstd(half) + zstd(rest))};
    for (const std::string& file : files)
      for (const std::size_t step : {1u << 20, 4096u, 999u}) {
        CAPTURE(file);
        CAPTURE(size);
        CHECK(read_all(file, step) == text);
      }
  }
}

TEST_CASE("compressed input: cut off or broken data is an error that names the file") {
  const ScratchFolder folder;
  const std::string text = some_text(1 << 20);
  struct Row {
    const char* name;
    std::string whole;
    const char *cut, *broken;
  };
  for (const Row& row : {Row{"a.gz", gzip(text), "cut off", "broken gzip"},
                         Row{"a.zst", zstd(text), "cut off", "broken zstd"}}) {
    const auto message = [&](const std::string& bytes) {
      const std::string path = folder.write(row.name, bytes);
      return message_of<mortise::DataError>([&] { read_all(path, 4096); });
    };
    for (const std::size_t lost : {std::size_t(1), std::size_t(9), row.whole.size() / 2}) {
      CAPTURE(lost);
      const std::string cut = message(row.whole.substr(0, row.whole.size() - lost));
      CHECK(contains(cut, row.name));
      CHECK(contains(cut, row.cut));
    }
    std::string bent = row.whole;
    for (std::size_t i = bent.size() / 2; i != bent.size() / 2 + 64; ++i) bent[i] = char(~bent[i]);
    CHECK(contains(message(bent), row.broken));
    CHECK(contains(message(row.whole + "garbage"), row.broken));
  }
}

TEST_CASE("input: a file that changes while it is read is an error (not a crash)") {
  const ScratchFolder folder;
  const std::string path = folder.write("a.txt", some_text(1 << 20));
  for (const std::size_t later : {std::size_t(1000), std::size_t(2) << 20}) {
    CAPTURE(later);
    const std::string message = message_of<mortise::DataError>([&] {
      ByteSource source(path);
      std::vector<char> part(1000);
      source.read(part.data(), part.size());
      std::filesystem::resize_file(path, later);
      while (source.read(part.data(), part.size()) != 0) continue;
    });
    CHECK(contains(message, "a.txt changed while it was read"));
    folder.write("a.txt", some_text(1 << 20));
  }
}
