#include "host/checkpoint/box_layout.hpp"

#include <nlohmann/json.hpp>

#include "host/checkpoint/files/checked_json.hpp"
#include "tests/doctest_with_torch.hpp"

namespace mortise::tests {
namespace {

using host::BoxLayout;
using host::PlacedBox;
using nlohmann::json;

PlacedBox placed(Shape offset, Shape size, std::int64_t rank) {
  return {{std::move(offset), std::move(size)}, rank};
}

TEST_CASE("box layout: cells of a grid are stored as cuts, in any order and with any rank") {
  const auto layout = BoxLayout::of({4, 6}, {placed({2, 4}, {2, 2}, 3), placed({0, 0}, {2, 4}, 7),
                                             placed({2, 0}, {2, 4}, 1), placed({0, 4}, {2, 2}, 0)});
  CHECK(layout.to_json() == json::parse(R"({"cuts":[[0,2,4],[0,4,6]],"files":[7,0,1,3]})"));
}

TEST_CASE("box layout: scalars, whole tensors and tensors without elements are grids") {
  CHECK(BoxLayout::of({}, {placed({}, {}, 2)}).to_json() ==
        json::parse(R"({"cuts":[],"files":[2]})"));
  CHECK(BoxLayout::of({3}, {placed({0}, {3}, 0)}).to_json() ==
        json::parse(R"({"cuts":[[0,3]],"files":[0]})"));
  CHECK(BoxLayout::of({4, 0}, {}).to_json() == json::parse(R"({"cuts":[[0,4],[0]],"files":[]})"));
}

TEST_CASE("box layout: boxes that are no grid are stored one by one") {
  const auto layout = BoxLayout::of(
      {4, 2}, {placed({0, 0}, {1, 1}, 0), placed({1, 0}, {3, 1}, 1), placed({0, 1}, {4, 1}, 2)});
  const json text = layout.to_json();
  CHECK(text.at("boxes").size() == 3);
  CHECK(BoxLayout::from_json(text, 3).to_json() == text);
}

TEST_CASE("box layout: boxes that overlap, leave holes or leave the shape are refused") {
  const std::vector<PlacedBox> cases[] = {
      {placed({0}, {3}, 0)},                       // hole
      {placed({0}, {3}, 0), placed({2}, {2}, 1)},  // overlap
      {placed({0}, {2}, 0), placed({0}, {2}, 1)},  // twice, and a hole
      {placed({0}, {5}, 0)},                       // outside
      {placed({0}, {4}, 0), placed({4}, {0}, 1)},  // empty
      {},                                          // nothing
  };
  for (const auto& boxes : cases) CHECK_THROWS_AS(BoxLayout::of({4}, boxes), std::invalid_argument);
  CHECK_THROWS_AS(BoxLayout::of({2, 2}, {placed({0, 0}, {2, 1}, 0), placed({1, 0}, {1, 2}, 1)}),
                  std::invalid_argument);
  CHECK_THROWS_AS(BoxLayout::of({}, {placed({}, {}, 0), placed({}, {}, 1)}), std::invalid_argument);
}

TEST_CASE("box layout: only the boxes that touch what is wanted are visited") {
  std::vector<PlacedBox> rows;
  for (std::int64_t r = 0; r != 1000; ++r) rows.push_back(placed({r, 0}, {1, 8}, r));
  const auto layout = BoxLayout::of({1000, 8}, rows);
  std::vector<std::int64_t> ranks;
  const auto collect = [&](const PlacedBox& box) { ranks.push_back(box.rank); };
  layout.for_each_touching({{500, 3}, {3, 2}}, collect);
  CHECK(ranks == std::vector<std::int64_t>{500, 501, 502});
  ranks.clear();
  layout.for_each_touching({{1000, 0}, {0, 8}}, collect);
  CHECK(ranks.empty());
}

TEST_CASE("box layout: malformed JSON is refused") {
  for (const char* text : {
           R"(7)",
           R"({})",
           R"({"cuts":[[0,4]]})",
           R"({"cuts":[[0,4]],"files":[]})",
           R"({"cuts":[[0,4]],"files":[2]})",
           R"({"cuts":[[0,4]],"files":[-1]})",
           R"({"cuts":[[1,4]],"files":[0]})",
           R"({"cuts":[[0,4,4]],"files":[0,1]})",
           R"({"cuts":[[0,4,2]],"files":[0,1]})",
           R"({"cuts":[[]],"files":[]})",
           R"({"cuts":[4],"files":[0]})",
           R"({"cuts":[[0,"4"]],"files":[0]})",
           R"({"cuts":[[0,9223372036854775807],[0,9223372036854775807]],"files":[0]})",
           R"({"shape":[4],"boxes":[[[0],[3]]],"files":[0]})",
           R"({"shape":[4],"boxes":[[[0],[4]]],"files":[0,1]})",
           R"({"shape":[4],"boxes":[[[0,0],[4]]],"files":[0]})",
           R"({"shape":[4],"boxes":[[[0]]],"files":[0]})",
           R"({"shape":[4],"boxes":[[[9223372036854775807],[9223372036854775807]]],"files":[0]})",
       }) {
    CAPTURE(text);
    CHECK_THROWS_AS(BoxLayout::from_json(json::parse(text), 2), host::Malformed);
  }
}

}  // namespace
}  // namespace mortise::tests
