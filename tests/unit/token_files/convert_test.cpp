// The command `data convert`.

#include <filesystem>
#include <mortise/error.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/token_files/command.hpp"

namespace {

using namespace mortise::tests;
using mortise::ErrorCode;
using mortise::token_files::TokenFile;

SettingList settings(const std::string& input, const std::string& out,
                     const SettingList& more = {}) {
  return SettingList{{"input", input}, {"out", out}} + more;
}

}  // namespace

TEST_CASE("data convert: files have the bytes that the other program writes") {
  const ScratchFolder folder;
  const std::string input = packed(folder.path("a.pbin"), golden_documents());
  struct Row {
    const char* out;
    SettingList more;
    std::vector<std::string> golden;
  };
  for (const Row& row :
       std::vector<Row>{{"b.pbin", {}, {"modalities_2.pbin"}},
                        {"c.pbin", {{"width", 4}}, {"modalities_4.pbin"}},
                        {"d.npy", {}, {"numpy_u2.npy"}},
                        {"e.npy", {{"width", 4}}, {"numpy_u4.npy"}},
                        {"f.idx", {}, {"megatron.idx", "megatron.bin"}},
                        {"g.bin", {{"format", "megatron"}}, {"megatron.bin", "megatron.idx"}},
                        {"h.bin", {{"format", "llm_c"}}, {"llm_c_2.bin"}},
                        {"i.bin", {{"format", "llm_c"}, {"width", 4}}, {"llm_c_4.bin"}},
                        {"j.bin", {{"format", "nanogpt"}}, {"nanogpt.bin"}}}) {
    CAPTURE(row.out);
    run("data.convert", settings(input, folder.path(row.out), row.more));
    const std::string stem = std::string(row.out).substr(0, 1);
    for (const std::string& name : row.golden) {
      const std::string ending = name.substr(name.rfind('.'));
      CHECK(folder.read(stem + ending) == bytes_of_file(golden(name)));
    }
  }
}

TEST_CASE("data convert: what comes back is the same file, side file and all") {
  const ScratchFolder folder;
  const std::string input = packed(folder.path("a.pbin"), golden_documents());
  const std::string side = folder.read("a.pbin.json");
  for (const auto& [name, more] :
       std::vector<std::pair<std::string, SettingList>>{{"b.npy", {}},
                                                        {"c.idx", {}},
                                                        {"d.bin", {{"format", "llm_c"}}},
                                                        {"e.bin", {{"format", "nanogpt"}}}}) {
    CAPTURE(name);
    run("data.convert", settings(input, folder.path(name), more));
    const std::string back = folder.path("back_" + name + ".pbin");
    CHECK(run("data.convert", settings(folder.path(name), back)) ==
          "4 documents, 307 tokens, 614 bytes in " + back + "\n");
    CHECK(bytes_of_file(back) == folder.read("a.pbin"));
    CHECK(bytes_of_file(back + ".json") == side);
  }
}

TEST_CASE("data convert: files of other programs, without side files") {
  const ScratchFolder folder;
  const std::string out = folder.path("o.pbin");
  for (const char* name :
       {"megatron.idx", "modalities_4.pbin", "numpy_i8.npy", "llm_c_4.bin", "nanogpt.bin"}) {
    CAPTURE(name);
    run("data.convert",
        settings(golden(name), out, {{"eod", 256}, {"width", 2}, {"overwrite", true}}));
    CHECK(bytes_of_file(out) == bytes_of_file(golden("modalities_2.pbin")));
  }
  // Nothing says where documents end.
  const auto result = nlohmann::json::parse(run(
      "data.convert", settings(golden("nanogpt.bin"), out, {{"overwrite", true}, {"json", true}})));
  CHECK(result["type"] == "result");
  CHECK(result["tokens"] == 307);
  CHECK(result["files"] == nlohmann::json::parse("[{\"file\":\"" + out +
                                                 "\",\"documents\":1,\"tokens\":307,"
                                                 "\"bytes_per_token\":2}]"));
  // A file of the older generation becomes one of today.
  const std::string today = bytes_of_file(golden("modalities_1.pbin"));
  const std::string data = today.substr(0, 12 + 307);
  const std::string old = folder.write(
      "old.pbin", data +
                      "\x80\x04]\x94(K\x0cK\x03\x86\x94K\x0fK\x02\x86\x94K\x11K\x01\x86"
                      "\x94K\x12M\x2d\x01\x86\x94\x65.");
  run("data.convert", settings(old, out, {{"overwrite", true}}));
  CHECK(bytes_of_file(out) == today);
}

TEST_CASE("data convert: what the other format cannot carry is refused by name") {
  const ScratchFolder folder;
  const auto documents = golden_documents();
  const std::string good = packed(folder.path("good.pbin"), documents);
  const std::string wide =
      packed(folder.path("wide.pbin"), {{70000, 256}, {1, 256}}, "big/1", 70001);
  const std::string open_end = packed(folder.path("open.pbin"), {{97, 97}, {98, 256}});
  const std::string inside = packed(folder.path("inside.pbin"), {{97, 256, 97, 256}});
  const std::string empty = packed(folder.path("empty.pbin"), {{97, 256}, {}, {98, 256}});
  const std::string unknown = golden("modalities_2.pbin");
  const std::string npy = folder.path("o.npy"), bin = folder.path("o.bin");
  struct Row {
    const char* what;
    SettingList settings;
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {"two bytes", settings(wide, bin, {{"format", "nanogpt"}}),
            "token id 70000 does not fit into 2 bytes"},
           {"a narrow width (D-05)", settings(good, folder.path("o.pbin"), {{"width", 1}}),
            "token id 256 does not fit into 1 bytes"},
           {"a document without an end", settings(open_end, npy),
            "document 0 does not end with id 256"},
           {"an end inside", settings(inside, npy),
            "document 0 has the end-of-document id 256 before its end"},
           {"an empty document", settings(empty, npy), "document 1 is empty"},
           {"no known end", settings(unknown, npy), "no end-of-document id is known"},
           {"several sequences", settings(golden("megatron_split.idx"), folder.path("o.pbin")),
            "several sequences"}}) {
    CAPTURE(row.what);
    const std::string message = refusal("data.convert", ErrorCode::bad_data, row.settings);
    CAPTURE(message);
    CHECK(contains(message, row.message));
  }
  for (const std::string& input : {open_end, inside, empty, unknown})
    run("data.convert", settings(input, npy, {{"drop_boundaries", true}, {"overwrite", true}}));
  CHECK(TokenFile(npy).tokens() == 307);
  std::filesystem::remove(npy), std::filesystem::remove(npy + ".json");
  for (const std::string& name : folder.names()) CHECK(name.substr(0, 2) != "o.");
}

TEST_CASE("data convert: names, formats and files that are there") {
  const ScratchFolder folder;
  const std::string input = packed(folder.path("a.pbin"), golden_documents());
  folder.write("there.npy", "x"), folder.write("m.idx", "x");
  struct Row {
    SettingList settings;
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {settings(input, folder.path("o.bin")), "add --format megatron, llm_c or nanogpt"},
           {settings(input, folder.path("o.txt")), "expected a name that ends in"},
           {settings(input, folder.path("o.npy"), {{"format", "pbin"}}), "ends in .pbin"},
           {settings(input, folder.path("o.idx"), {{"format", "llm_c"}}), "ends in .bin"},
           {settings(input, folder.path("o.npy"), {{"width", 3}}), "no tokens of 3 bytes"},
           {settings(input, folder.path("o.bin"), {{"format", "nanogpt"}, {"width", 4}}),
            "no tokens of 4 bytes"},
           {settings(input, folder.path("there.npy")), "there.npy is there already"},
           {settings(input, folder.path("m.idx")), "m.idx is there already"},
           {settings(input, folder.path("m.bin"), {{"format", "nanogpt"}, {"overwrite", true}}),
            "would be read as Megatron's"}}) {
    CAPTURE(row.message);
    CHECK(contains(refusal("data.convert", ErrorCode::bad_settings, row.settings), row.message));
  }
  CHECK(folder.read("there.npy") == "x");
  CHECK(folder.names() == std::vector<std::string>{"a.pbin", "a.pbin.json", "m.idx", "there.npy"});
}

TEST_CASE(
    "data convert: ids that cannot be, gaps and lying side files are refused with their place") {
  const ScratchFolder folder;
  const std::string out = folder.path("o.pbin");
  const std::string dictionary = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n";
  std::string npy = "\x93NUMPY\x01";
  npy += std::string(1, '\0') + char(dictionary.size()) + std::string(1, '\0') + dictionary;
  folder.write("negative.npy", npy + std::string("\5\0\0\0\xfe\xff\xff\xff", 8));
  CHECK(contains(
      refusal("data.convert", ErrorCode::bad_data, settings(folder.path("negative.npy"), out)),
      "negative.npy: token 1 has id -2, expected 0 to 4294967295"));

  std::string vocabulary = packed(folder.path("v.pbin"), {{5, 256}, {9, 300}}, "x", 300);
  CHECK(
      contains(refusal("data.convert", ErrorCode::bad_data, settings(vocabulary, out)),
               "v.pbin: token 3 has id 300, expected 0 to 299 (vocabulary_size of its side file)"));

  const std::string data("\6\0\0\0\0\0\0\0\1\0\0\0abcdef", 18);
  const std::string gap = folder.write("gap.pbin", data + "\x80\x04]\x94(K" + std::string(1, '\0') +
                                                       "K\2\x86\x94K\3K\3\x86\x94\x65.");
  CHECK(contains(refusal("data.convert", ErrorCode::bad_data, settings(gap, out)),
                 "gap.pbin: tokens 2..2 belong to no document"));
  const std::string tail = folder.write(
      "tail.pbin", data + "\x80\x04]\x94K" + std::string(1, '\0') + "K\4\x86\x94\x61.");
  CHECK(contains(refusal("data.convert", ErrorCode::bad_data, settings(tail, out)),
                 "tail.pbin: tokens 4..5 belong to no document"));

  packed(folder.path("s.pbin"), golden_documents());
  folder.write("s.pbin.json", "{\"tokens\": 306}");
  CHECK(contains(refusal("data.convert", ErrorCode::bad_data, settings(folder.path("s.pbin"), out)),
                 "s.pbin.json belongs to another file"));
  for (const std::string& name : folder.names()) CHECK(name.substr(0, 2) != "o.");
}
