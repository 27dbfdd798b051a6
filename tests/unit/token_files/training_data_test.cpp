// The data set packed_tokens over token files of other programs.

#include <doctest/doctest.h>

#include <mortise/data/dataset.hpp>

#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"
#include "tests/unit/token_files/golden.hpp"

namespace {

using namespace mortise::tests;

std::vector<Tokens> samples(const std::string& file) {
  const LoadedComponent component("packed_tokens", "packed_tokens",
                                  {{"files", std::vector{file}}, {"sequence_length", 100}});
  const auto data = component.as<mortise::Dataset>();
  std::vector<Tokens> all;
  for (std::int64_t i = 0; i != data.size(); ++i) {
    const mortise::Array tokens = data.read(Tokens{i}).at(0).arrays.at(0);
    all.emplace_back(tokens.as<std::int64_t>(), tokens.as<std::int64_t>() + tokens.count());
  }
  return all;
}

}  // namespace

TEST_CASE("packed_tokens: every format gives the same samples") {
  const Tokens all = joined(golden_documents());
  std::vector<Tokens> expected;
  for (std::size_t first = 0; first + 101 <= all.size(); first += 100)
    expected.emplace_back(all.begin() + long(first), all.begin() + long(first) + 101);
  REQUIRE(expected.size() == 3);
  for (const char* name : {"modalities_2.pbin", "modalities_4.pbin", "megatron.bin", "megatron.idx",
                           "megatron_split.idx", "llm_c_2.bin", "llm_c_4.bin", "nanogpt.bin",
                           "numpy_u2.npy", "numpy_u4.npy", "numpy_i4.npy", "numpy_i8.npy"}) {
    CAPTURE(name);
    CHECK(samples(golden(name)) == expected);
  }
}

TEST_CASE("packed_tokens: files of several formats are one set") {
  const LoadedComponent component(
      "packed_tokens", "packed_tokens",
      {{"files",
        std::vector{golden("nanogpt.bin"), golden("numpy_i8.npy"), golden("megatron.idx")}},
       {"sequence_length", 300}});
  const auto data = component.as<mortise::Dataset>();
  CHECK(data.size() == 3);
  CHECK(data.info().tokens == 3 * 307);
  CHECK(data.where(2) == golden("megatron.bin") + ", tokens 0..300");
}
