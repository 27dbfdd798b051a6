// How packed tokens are cut into samples: shared last tokens, whole documents, document ends.

#include <doctest/doctest.h>

#include <mortise/data/dataset.hpp>
#include <numeric>

#include "plugins/data/pbin/pbin_writer.hpp"
#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using mortise::Array;
using mortise::Dataset;
using Numbers = std::vector<std::int64_t>;

// Documents of these sizes, with the ids 0, 1, 2, … over all of them.
std::string pack(const ScratchFolder& folder, const Numbers& sizes) {
  mortise::pbin::PbinWriter writer(folder.path("a.pbin"), 2,
                                   mortise::pbin::PartialFile::Busy::fail);
  std::uint32_t next = 0;
  for (const std::int64_t size : sizes) {
    std::vector<std::uint32_t> ids(static_cast<std::size_t>(size));
    std::iota(ids.begin(), ids.end(), next);
    next += std::uint32_t(size);
    writer.add(ids);
    writer.end_document();
  }
  writer.finish({});
  writer.publish();
  return folder.path("a.pbin");
}

struct Row {
  Numbers tokens, mask, documents;  // what is not there is empty
  bool operator==(const Row&) const = default;
};

Numbers numbers(const Array& array) {
  Numbers all;
  for (std::int64_t i = 0; i != array.count(); ++i)
    all.push_back(array.dtype == mortise::DType::boolean ? std::int64_t(array.as<std::uint8_t>()[i])
                                                         : array.as<std::int64_t>()[i]);
  return all;
}

std::vector<Row> rows(const std::string& path, std::int64_t length, const SettingList& more) {
  SettingList settings = {{"files", std::vector{path}}, {"sequence_length", length}};
  settings.insert(settings.end(), more.begin(), more.end());
  const LoadedComponent component("packed_tokens", "packed_tokens", settings);
  const auto data = component.as<Dataset>();
  std::vector<Row> all;
  for (std::int64_t i = 0; i != data.size(); ++i) {
    Row& row = all.emplace_back();
    const mortise::Sample sample = data.read(Numbers{i}).at(0);
    for (const Array& array : sample.arrays) {
      if (array.name == "tokens") row.tokens = numbers(array);
      if (array.name == "mask") row.mask = numbers(array);
      if (array.name == "document_ids") row.documents = numbers(array);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("windows: without a shared last token, samples share nothing") {
  const ScratchFolder folder;
  for (const auto& [tokens, count] : {std::pair(4, 1), std::pair(7, 1), std::pair(8, 2)}) {
    CAPTURE(tokens);
    const auto all = rows(pack(folder, {tokens}), 3, {{"share_last_token", false}});
    REQUIRE(all.size() == std::size_t(count));
    CHECK(all[0] == Row{{0, 1, 2, 3}, {}, {}});
    if (count == 2) CHECK(all[1] == Row{{4, 5, 6, 7}, {}, {}});
    std::filesystem::remove_all(folder.path("a.pbin"));
    std::filesystem::remove_all(folder.path("a.pbin.json"));
  }
}

TEST_CASE("windows: cut by document, each target counts once and none is of another (D-08)") {
  const ScratchFolder folder;
  const std::string path = pack(folder, {2, 1, 0, 4, 8});
  CHECK(rows(path, 3, {{"cut", "documents"}}) ==
        std::vector<Row>{{{0, 1, 1, 1}, {1, 0, 0}, {}},
                         {{3, 4, 5, 6}, {1, 1, 1}, {}},
                         {{7, 8, 9, 10}, {1, 1, 1}, {}},
                         {{10, 11, 12, 13}, {1, 1, 1}, {}},
                         {{13, 14, 14, 14}, {1, 0, 0}, {}}});
  CHECK(rows(path, 3, {{"cut", "documents"}, {"share_last_token", false}}) ==
        std::vector<Row>{{{0, 1, 1, 1}, {1, 0, 0}, {}},
                         {{3, 4, 5, 6}, {1, 1, 1}, {}},
                         {{7, 8, 9, 10}, {1, 1, 1}, {}},
                         {{11, 12, 13, 14}, {1, 1, 1}, {}}});
}

TEST_CASE("windows: cut by document, the counted targets are all but the first of each") {
  for (std::int64_t size = 1; size != 12; ++size)
    for (std::int64_t length = 1; length != 6; ++length) {
      CAPTURE(size);
      CAPTURE(length);
      const ScratchFolder folder;
      Numbers counted;
      for (const Row& row : rows(pack(folder, {size, 5}), length, {{"cut", "documents"}}))
        for (std::size_t t = 0; t != row.mask.size(); ++t)
          if (row.mask[t] != 0) counted.push_back(row.tokens[t + 1]);
      Numbers expected;
      for (std::int64_t i = 1; i != size + 5; ++i)
        if (i != size) expected.push_back(i);
      CHECK(counted == expected);
    }
}

TEST_CASE("windows: isolated, samples say where documents begin, wherever they are cut") {
  const ScratchFolder folder;
  const std::string path = pack(folder, {2, 1, 0, 4, 2});
  CHECK(rows(path, 3, {{"documents", "isolated"}}) ==
        std::vector<Row>{{{0, 1, 2, 3}, {}, {0, 0, 1, 2}}, {{3, 4, 5, 6}, {}, {0, 0, 0, 0}}});
  CHECK(rows(path, 4, {{"documents", "isolated"}, {"share_last_token", false}}) ==
        std::vector<Row>{{{0, 1, 2, 3, 4}, {}, {0, 0, 1, 2, 2}}});
  CHECK(rows(path, 2, {{"documents", "isolated"}}) == std::vector<Row>{{{0, 1, 2}, {}, {0, 0, 1}},
                                                                       {{2, 3, 4}, {}, {0, 1, 1}},
                                                                       {{4, 5, 6}, {}, {0, 0, 0}},
                                                                       {{6, 7, 8}, {}, {0, 1, 1}}});
  CHECK(rows(path, 3, {{"documents", "isolated"}, {"cut", "documents"}})[0] ==
        Row{{0, 1, 1, 1}, {1, 0, 0}, {0, 0, 0, 0}});
}

TEST_CASE("windows: a held-out part is cut by document like the whole") {
  const ScratchFolder folder;
  const std::string path = pack(folder, {4, 3, 3});
  const SettingList common = {{"cut", "documents"}, {"hold_out", mortise::percent(20)}};
  SettingList train = common, held = common;
  train.emplace_back("part", "train"), held.emplace_back("part", "held_out");
  CHECK(rows(path, 3, train) ==
        std::vector<Row>{{{0, 1, 2, 3}, {1, 1, 1}, {}}, {{4, 5, 6, 6}, {1, 1, 0}, {}}});
  CHECK(rows(path, 3, held) == std::vector<Row>{{{7, 8, 9, 9}, {1, 1, 0}, {}}});
}

TEST_CASE("windows: documents without a target are refused with both numbers") {
  const ScratchFolder folder;
  const std::string path = pack(folder, {1, 1, 0, 1});
  const std::string message = message_of<mortise::Error>([&] {
    rows(path, 3, {{"cut", "documents"}});
  });
  CAPTURE(message);
  CHECK(contains(message, "1 tokens in the longest document, a sample needs 2"));
}
