// Packed token files as a data set, as users get it.

#include <doctest/doctest.h>

#include <mortise/data/dataset.hpp>

#include "plugins/data/pbin/pbin_writer.hpp"
#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;
using mortise::Dataset;
using mortise::percent;
using Tokens = std::vector<std::int64_t>;

// One document for each size, with the ids first, first + 1, ….
std::string pack(const std::string& path, const std::vector<std::uint32_t>& sizes,
                 std::uint32_t first = 0, const std::string& fingerprint = "byte/1") {
  mortise::pbin::PbinWriter writer(path, 2, mortise::pbin::PartialFile::Busy::fail);
  for (const std::uint32_t size : sizes) {
    std::vector<std::uint32_t> ids;
    for (std::uint32_t i = 0; i != size; ++i) ids.push_back(first++);
    writer.add(ids);
    writer.end_document();
  }
  mortise::pbin::SideFile side;
  side.tokenizer_fingerprint = fingerprint;
  side.vocabulary_size = 257;
  writer.finish(side);
  writer.publish();
  return path;
}

Tokens sample(const Dataset& data, std::int64_t index) {
  const mortise::Array tokens = data.read(Tokens{index}).at(0).arrays.at(0);
  REQUIRE(tokens.name == "tokens");
  REQUIRE(tokens.dtype == mortise::DType::int64);
  REQUIRE(tokens.shape.size() == 1);
  return {tokens.as<std::int64_t>(), tokens.as<std::int64_t>() + tokens.count()};
}

std::string refusal(const SettingList& settings) {
  return message_of<mortise::Error>(
      [&] { LoadedComponent("packed_tokens", "packed_tokens", settings); });
}

}  // namespace

TEST_CASE(
    "packed_tokens: the number of samples is floor((n - 1) / T), and too few is an error (D-06)") {
  const ScratchFolder folder;
  for (const std::uint32_t n : {0u, 1u, 7u, 8u, 9u, 10u, 16u, 17u}) {
    CAPTURE(n);
    const std::string path = pack(folder.path("a.pbin"), {n});
    const SettingList settings = {{"files", std::vector{path}}, {"sequence_length", 8}};
    if (n < 9) {
      const std::string message = refusal(settings);
      CAPTURE(message);
      CHECK(contains(message, path));
      CHECK(contains(message, std::to_string(n) + " tokens"));
      CHECK(contains(message, "needs 9"));
      continue;
    }
    const LoadedComponent component("packed_tokens", "packed_tokens", settings);
    const auto data = component.as<Dataset>();
    CHECK(data.size() == (n - 1) / 8);
    CHECK(sample(data, 0) == Tokens{0, 1, 2, 3, 4, 5, 6, 7, 8});
    if (n == 17) CHECK(sample(data, 1) == Tokens{8, 9, 10, 11, 12, 13, 14, 15, 16});
  }
}

TEST_CASE(
    "packed_tokens: several files stand one after the other, no sample crosses from one to the "
    "next") {
  const ScratchFolder folder;
  pack(folder.path("a.pbin"), {6}), pack(folder.path("b.pbin"), {2}, 50);
  pack(folder.path("c.pbin"), {9}, 100);
  const LoadedComponent component(
      "packed_tokens", "packed_tokens",
      {{"files", std::vector{folder.path("*.pbin")}}, {"sequence_length", 4}});
  const auto data = component.as<Dataset>();
  CHECK(data.size() == 3);
  CHECK(sample(data, 0) == Tokens{0, 1, 2, 3, 4});
  CHECK(sample(data, 1) == Tokens{100, 101, 102, 103, 104});
  CHECK(sample(data, 2) == Tokens{104, 105, 106, 107, 108});
  CHECK(data.where(0) == folder.path("a.pbin") + ", tokens 0..4");
  CHECK(data.where(2) == folder.path("c.pbin") + ", tokens 4..8");
  CHECK(data.read(Tokens{2, 0, 2}).size() == 3);
  for (const std::int64_t bad : {-1, 3})
    CHECK(contains(message_of<mortise::Error>([&] { data.read(Tokens{bad}); }), "out of range"));
  const mortise::DatasetInfo info = data.info();
  CHECK(info.source == folder.path("a.pbin") + " and 2 more");
  CHECK(info.samples == 3);
  CHECK(info.tokens == 17);
  CHECK(info.documents == 3);
  CHECK(info.tokenizer_fingerprint == "byte/1");
  CHECK(info.vocabulary_size == 257);
  CHECK(info.largest_token == 108);
}

TEST_CASE("packed_tokens: what is held out is not trained on") {
  const ScratchFolder folder;
  const std::string path = pack(folder.path("a.pbin"), {10, 10, 5});
  const auto part = [&](const char* name) -> SettingList {
    return {{"files", std::vector{path}},
            {"sequence_length", 2},
            {"part", name},
            {"hold_out", percent(20)}};
  };
  const LoadedComponent train("packed_tokens", "packed_tokens", part("train"));
  const LoadedComponent held("packed_tokens", "packed_tokens", part("held_out"));
  CHECK(train.as<Dataset>().size() == 9);
  CHECK(sample(train.as<Dataset>(), 8) == Tokens{16, 17, 18});
  CHECK(held.as<Dataset>().size() == 2);
  CHECK(sample(held.as<Dataset>(), 0) == Tokens{20, 21, 22});
  CHECK(held.as<Dataset>().where(0) == path + ", tokens 20..22");
  CHECK(held.as<Dataset>().info().tokens == 5);
  CHECK(held.log().empty());
}

TEST_CASE("packed_tokens: a share that whole documents miss by far is said") {
  const ScratchFolder folder;
  const std::string path = pack(folder.path("a.pbin"), {50, 50});
  const LoadedComponent held("packed_tokens", "packed_tokens",
                             {{"files", std::vector{path}},
                              {"sequence_length", 2},
                              {"part", "held_out"},
                              {"hold_out", percent(5)}});
  REQUIRE(held.log().size() == 1);
  CHECK(contains(held.log()[0], "hold_out 5% became 50% of the tokens"));
}

TEST_CASE("packed_tokens: files without a side file are read, with less known of them") {
  const ScratchFolder folder;
  const std::string path = pack(folder.path("a.pbin"), {20});
  std::filesystem::remove(path + ".json");
  const LoadedComponent component("packed_tokens", "packed_tokens",
                                  {{"files", std::vector{path}}, {"sequence_length", 4}});
  const mortise::DatasetInfo info = component.as<Dataset>().info();
  CHECK(info.tokens == 20);
  CHECK(info.documents == -1);
  CHECK(info.vocabulary_size == -1);
  CHECK(info.largest_token == -1);
  CHECK(info.tokenizer_fingerprint.empty());
}

TEST_CASE("packed_tokens: wrong files and settings are refused with the file") {
  const ScratchFolder folder;
  const auto settings = [&](std::vector<std::string> files) -> SettingList {
    return {{"files", std::move(files)}, {"sequence_length", 4}};
  };
  const std::string a = pack(folder.path("a.pbin"), {20}),
                    b = pack(folder.path("b.pbin"), {20}, 0, "gpt2/1");
  CHECK(contains(refusal(settings({folder.path("no.pbin")})), "no.pbin: No such file"));
  CHECK(contains(refusal(settings({folder.path("*.bin")})), "no file matches"));
  CHECK(contains(refusal(settings({a, b})), "b.pbin was packed with tokenizer gpt2/1"));
  CHECK(contains(refusal({{"files", std::vector{a}}, {"sequence_length", 4}, {"part", "train"}}),
                 "hold_out"));
  folder.write("a.pbin.json", "{\"tokens\": 19}");
  CHECK(contains(refusal(settings({a})), "a.pbin.json belongs to another file"));
}
