#include "host/distributed/agreement.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "host/failure.hpp"
#include "tests/training/forked_ranks.hpp"

namespace {

using namespace mortise::host;
using Items = std::vector<AgreementItem>;

// What each rank ends with when they bring these items: "" or the text of the failure.
std::vector<std::string> ends_of(const std::vector<Items>& items) {
  const mortise::tests::TemporaryFolder folder;
  const auto size = std::int64_t(items.size());
  std::vector<std::string> ends(items.size(), "");
  std::vector<std::thread> threads;
  for (std::int64_t rank = 0; rank != size; ++rank)
    threads.emplace_back([&, rank] {
      RankEnvironment ranks;
      ranks.rank = rank;
      ranks.size = size;
      const auto store =
          join_through_file((folder.path() / "store").string(), size, std::chrono::seconds(20));
      try {
        require_agreement(*store, ranks, items[std::size_t(rank)]);
      } catch (const Failure& f) {
        ends[std::size_t(rank)] = f.id() + f.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return ends;
}

}  // namespace

TEST_CASE("agreement: ranks that are alike go on") {
  const Items same{{"host", "0.2.0"}, {"LibTorch", "2.11.0"}, {"plugins", "a 1 00\nb 1 11\n"}};
  CHECK(ends_of({same, same, same}) == std::vector<std::string>{"", "", ""});
}

TEST_CASE("agreement: another LibTorch, host or plugin is named with its rank, once") {
  const Items same{{"host", "0.2.0"}, {"LibTorch", "2.11.0"}, {"plugins", "a 1 00\nb 1 11\n"}};
  struct Row {
    Items other;
    const char* text;
  };
  for (const Row& row : {Row{{same[0], {"LibTorch", "2.11.1"}, same[2]},
                             "rank 2 has LibTorch `2.11.1`, rank 0 has LibTorch `2.11.0`"},
                         Row{{{"host", "0.3.0"}, same[1], same[2]},
                             "rank 2 has host `0.3.0`, rank 0 has host `0.2.0`"},
                         Row{{same[0], same[1], {"plugins", "a 1 00\nb 1 12\n"}},
                             "rank 2 has plugins `b 1 12`, rank 0 has plugins `b 1 11`"},
                         Row{{same[0], same[1], {"plugins", "a 1 00\n"}},
                             "rank 2 has plugins `nothing`, rank 0 has plugins `b 1 11`"}}) {
    CAPTURE(row.text);
    const std::vector<std::string> ends = ends_of({same, same, row.other});
    CHECK_MESSAGE(ends[0].find(row.text) != std::string::npos, ends[0]);
    CHECK(ends[0].starts_with("R0104error[R0104]: "));
    CHECK(ends[1] == "R0104");
    CHECK(ends[2] == "R0104");
  }
}
