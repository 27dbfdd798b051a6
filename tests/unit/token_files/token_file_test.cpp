// Token files that other programs have written: read, or refused with the reason.

#include "plugins/data/token_files/token_file.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <mortise/error.hpp>

#include "tests/unit/plugins_data/scratch_folder.hpp"
#include "tests/unit/token_files/golden.hpp"

namespace {

using namespace mortise::tests;
using mortise::token_files::Format;
using mortise::token_files::TokenFile;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What a file of these bytes is refused with.
std::string refusal(const ScratchFolder& folder, const std::string& name,
                    const std::string& bytes) {
  const std::string path = folder.write(name, bytes);
  return message_of<mortise::DataError>([&] { TokenFile(path).documents(); });
}

template <class T>
std::string with(std::string bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

// A NumPy file of five numbers of two bytes, with a dictionary of our choice.
std::string npy(const std::string& dictionary, int version = 1,
                const std::string& data = "0123456789") {
  std::string file = "\x93NUMPY" + std::string(1, char(version)) + std::string(1, '\0');
  file += char(dictionary.size());
  file += std::string(version == 1 ? 1 : 3, '\0');
  return file + dictionary + data;
}

}  // namespace

TEST_CASE("token files: what each program writes comes back") {
  struct Row {
    const char* name;
    Format format;
    std::uint32_t width;
  };
  for (const Row& row :
       {Row{"modalities_2.pbin", Format::pbin, 2}, Row{"modalities_4.pbin", Format::pbin, 4},
        Row{"megatron.idx", Format::megatron, 2}, Row{"megatron.bin", Format::megatron, 2},
        Row{"megatron_split.bin", Format::megatron, 4}, Row{"llm_c_2.bin", Format::llm_c, 2},
        Row{"llm_c_4.bin", Format::llm_c, 4}, Row{"nanogpt.bin", Format::plain, 2},
        Row{"numpy_u2.npy", Format::npy, 2}, Row{"numpy_u4.npy", Format::npy, 4},
        Row{"numpy_i4.npy", Format::npy, 4}, Row{"numpy_i8.npy", Format::npy, 8}}) {
    CAPTURE(row.name);
    const TokenFile file(golden(row.name));
    CHECK(file.format() == row.format);
    CHECK(file.bytes_per_token() == row.width);
    REQUIRE(file.tokens() == 307);
    CHECK(tokens_of(file, {0, 307}) == joined(golden_documents()));
    CHECK(tokens_of(file, {4, 3}) == Tokens{256, 256, 99});
    CHECK(file.token_bytes().size() == 307 * row.width);
  }
  const TokenFile bytes(golden("numpy_u1.npy"));
  CHECK(tokens_of(bytes, {0, 4}) == Tokens{97, 97, 0, 98});
}

TEST_CASE("token files: documents are those of the format that knows them") {
  for (const char* name : {"modalities_2.pbin", "modalities_4.pbin", "megatron.bin"}) {
    CAPTURE(name);
    const TokenFile file(golden(name));
    CHECK(file.knows_documents());
    CHECK(documents_of(file) == golden_documents());
    CHECK_FALSE(file.has_split_documents());
  }
  CHECK(documents_of(TokenFile(golden("modalities_1.pbin")))[1] == Tokens{98, 0});

  const TokenFile split(golden("megatron_split.bin"));
  CHECK(split.has_split_documents());
  auto expected = golden_documents();
  expected[0] = {97, 97, 256, 98, 256};
  expected.erase(expected.begin() + 1);
  CHECK(documents_of(split) == expected);

  for (const char* name : {"llm_c_2.bin", "nanogpt.bin", "numpy_u2.npy"}) {
    const TokenFile file(golden(name));
    CHECK_FALSE(file.knows_documents());
    CHECK(documents_of(file) == std::vector<Tokens>{joined(golden_documents())});
  }
}

TEST_CASE("token files: signed numbers keep their sign, for the reader of ids to refuse") {
  const ScratchFolder folder;
  const std::string dictionary = "{'descr': '<i2', 'fortran_order': False, 'shape': (5,), }\n";
  const TokenFile file(
      folder.write("a.npy", npy(dictionary, 1, "\xff\xff" + std::string(8, '\1'))));
  CHECK(tokens_of(file, {0, 2}) == Tokens{-1, 257});
}

TEST_CASE("token files: NumPy's header in its other forms") {
  const ScratchFolder folder;
  for (const char* dictionary :
       {"{'shape': (5,), 'fortran_order': False, 'descr': '<u2'}",
        "{\"descr\":\"<u2\",\"fortran_order\":False,\"shape\":(5,)}  \n"}) {
    for (const int version : {1, 2, 3}) {
      CAPTURE(version);
      const TokenFile file(folder.write("a.npy", npy(dictionary, version)));
      CHECK(file.tokens() == 5);
      CHECK(tokens_of(file, {4, 1}) == Tokens{'8' + '9' * 256});
    }
  }
}

TEST_CASE("token files: NumPy files that are no token files are refused") {
  const ScratchFolder folder;
  const auto header = [](const std::string& type, const std::string& order,
                         const std::string& shape) {
    return npy("{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape +
               ", }\n");
  };
  struct Row {
    const char* what;
    std::string bytes, message;
  };
  for (const Row& row :
       {Row{"empty", "", "magic"},
        Row{"other bytes", "hello, this is text", "magic"},
        Row{"objects", header("|O", "False", "(5,)"), "type |O"},
        Row{"floats", header("<f4", "False", "(5,)"), "type <f4"},
        Row{"big-endian", header(">u2", "False", "(5,)"), "type >u2"},
        Row{"records", npy("{'descr': [('a', '<u2')], 'fortran_order': False, 'shape': (5,), }"),
            "records"},
        Row{"Fortran's order", header("<u2", "True", "(5,)"), "Fortran"},
        Row{"two dimensions", header("<u2", "False", "(5, 1)"), "several dimensions"},
        Row{"no dimension", header("<u2", "False", "()"), "single number"},
        Row{"more than there is", header("<u2", "False", "(6,)"),
            "6 numbers of 2 bytes, the file has 10"},
        Row{"less than there is", header("<u2", "False", "(4,)"), "4 numbers"},
        Row{"absurd", header("<u2", "False", "(9223372036854775813,)"),
            "9223372036854775813 numbers"},
        Row{"too large", header("<u2", "False", "(99999999999999999999,)"), "no dictionary"},
        Row{"negative", header("<u2", "False", "(-5,)"), "no dictionary"},
        Row{"a number for a tuple", header("<u2", "False", "(5)"), "no dictionary"},
        Row{"no shape", npy("{'descr': '<u2', 'fortran_order': False, }"), "no dictionary"},
        Row{"a key twice", npy("{'descr': '<u2', 'descr': '<u2', 'shape': (5,), }"),
            "no dictionary"},
        Row{"an unknown key", npy("{'descr': '<u2', 'more': False, 'shape': (5,), }"),
            "no dictionary"},
        Row{"code", npy("__import__('os').system('true')"), "no dictionary"},
        Row{"cut off in its text", npy("{'descr': '<u2"), "no dictionary"},
        Row{"version 9", npy("{}", 9), "version 9.0"},
        Row{"a header beyond the file", with(npy("{}"), 8, std::uint16_t(60000)),
            "claims 60000 bytes"},
        Row{"an absurd header", with(npy("{}", 2), 8, ~std::uint32_t(0)),
            "claims 4294967295 bytes"}}) {
    CAPTURE(row.what);
    const std::string message = refusal(folder, "a.npy", row.bytes);
    CAPTURE(message);
    CHECK(contains(message, row.message));
    CHECK(contains(message, folder.path("a.npy")));
  }
}

TEST_CASE("token files: files of llm.c and nanoGPT that lie or are cut off are refused") {
  const ScratchFolder folder;
  const std::string good = bytes_of(golden("llm_c_2.bin"));
  struct Row {
    const char* what;
    std::string bytes, message;
  };
  for (const Row& row :
       {Row{"cut off", good.substr(0, good.size() - 2),
            "307 tokens, so expected 1638 bytes, got 1636"},
        Row{"longer", good + "xx", "got 1640"},
        Row{"header alone", good.substr(0, 1000), "needs 1024"},
        Row{"negative", with(good, 8, std::int32_t(-1)), "-1 tokens"},
        Row{"absurd", with(good, 8, std::int32_t(0x7fffffff)), "2147483647 tokens"},
        Row{"half a token of nanoGPT", "abc", "got 3 bytes"}}) {
    CAPTURE(row.what);
    const std::string message = refusal(folder, "a.bin", row.bytes);
    CAPTURE(message);
    CHECK(contains(message, row.message));
    CHECK(contains(message, folder.path("a.bin")));
  }
}

TEST_CASE("token files: an index of Megatron that lies is refused") {
  const ScratchFolder folder;
  const std::string idx = bytes_of(golden("megatron.idx")), bin = bytes_of(golden("megatron.bin"));
  // 34 bytes of header, 4 lengths, 4 offsets from 50 on, 5 ends from 82 on.
  struct Row {
    const char* what;
    std::string idx, message;
  };
  for (const Row& row :
       {Row{"empty", "", "MMIDIDX"},
        Row{"another program's", "\x80\x04]\x94.", "MMIDIDX"},
        Row{"header alone", idx.substr(0, 20), "needs 34"},
        Row{"version", with(idx, 9, std::uint64_t(2)), "version 2"},
        Row{"floats", with(idx, 17, std::uint8_t(7)), "type 7"},
        Row{"type 0", with(idx, 17, std::uint8_t(0)), "type 0"},
        Row{"sequences beyond the file", with(idx, 18, std::uint64_t(1) << 60), "sequences"},
        Row{"all of 64 bits", with(idx, 18, ~std::uint64_t(0)), "sequences"},
        Row{"ends beyond the file", with(idx, 26, ~std::uint64_t(0)), "ends of documents"},
        Row{"no ends", with(idx, 26, std::uint64_t(0)), "ends of documents"},
        Row{"cut off", idx.substr(0, idx.size() - 8), "ends of documents"},
        Row{"longer", idx + "xx", "expected 122 bytes, got 124"},
        Row{"negative length", with(idx, 46, std::int32_t(-1)), "-1 tokens"},
        Row{"length beyond the tokens", with(idx, 34, std::int32_t(1 << 30)), "does not fit"},
        Row{"offset beyond the tokens", with(idx, 50, std::uint64_t(1) << 62), "does not fit"},
        Row{"odd offset", with(idx, 50, std::uint64_t(1)), "does not fit"},
        Row{"overlap", with(idx, 58, std::uint64_t(4)), "overlaps"},
        Row{"last sequence elsewhere", with(idx, 74, std::uint64_t(10)), "ends at byte 612"},
        Row{"documents backwards", with(idx, 98, std::uint64_t(0)),
            "ends at sequence 0, expected 1 to 4"},
        Row{"documents beyond", with(idx, 98, std::uint64_t(9)), "expected 1 to 4"},
        Row{"first end", with(idx, 82, std::uint64_t(1)), "begins at sequence 1"}}) {
    CAPTURE(row.what);
    folder.write("a.idx", row.idx);
    const std::string message = refusal(folder, "a.bin", bin);
    CAPTURE(message);
    CHECK(contains(message, row.message));
    CHECK(contains(message, folder.path("a.idx")));
  }
  folder.write("a.idx", idx);
  CHECK(contains(refusal(folder, "a.bin", bin.substr(0, 100)),
                 "ends at byte 614, the .bin file has 100"));
  CHECK(contains(refusal(folder, "a.bin", bin + "x"), "615"));
  std::filesystem::remove(folder.path("a.bin"));
  CHECK(contains(message_of<mortise::DataError>([&] { TokenFile(folder.path("a.idx")); }),
                 "a.bin: No such file"));
}

TEST_CASE("token files: a sequence that does not follow on in its document is refused") {
  const ScratchFolder folder;
  folder.write("a.idx", with(bytes_of(golden("megatron_split.idx")), 58, std::uint64_t(16)));
  CHECK(contains(refusal(folder, "a.bin", bytes_of(golden("megatron_split.bin"))),
                 "begins at byte 16, expected 12"));
}
