#include "host/distributed/hang_report.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <memory>

namespace {

using namespace mortise::host;

Call reduce(std::int64_t bytes) { return {Operation::all_reduce, bytes}; }
Call gather(std::int64_t bytes) { return {Operation::all_gather, bytes}; }

// A rank that has made these calls in group 5, "dp #2", and waits in the last one.
RankReport report(std::int64_t rank, const std::vector<Call>& calls, std::uint64_t kept = 128) {
  const auto where = std::make_unique<Whereabouts>();
  where->step = 9;
  where->unit = 3;
  where->process = getpid();
  const int place = where->begin_trace(5, "dp #2");
  AwaitedCall awaited;
  for (const Call& call : calls)
    awaited = {call.operation, place, where->traces[place].add(call), call.bytes};
  where->wait_in(awaited, 1);
  return report_of(*where, rank, kept);
}

}  // namespace

TEST_CASE("hang report: a rank is told with step, unit, operation, number, bytes and time") {
  RankReport waiting = report(1, {reduce(8), gather(4096)});
  waiting.seconds = 20.06;
  RankReport computing = report(0, {reduce(8)});
  computing.waits = false;
  RankReport silent;
  silent.rank = 2;
  silent.answers = false;
  CHECK(
      hang_table({waiting, computing, silent}) ==
      "\n  rank   step  unit  waits in                                call       bytes       for"
      "\n     0      9     3  computes"
      "\n     2               does not answer"
      "\n     1      9     3  all_gather, dp #2                          1        4096    20.1 s");
}

TEST_CASE("hang report: of many ranks those that wait for nothing come first") {
  std::vector<RankReport> reports;
  for (int rank = 0; rank != 40; ++rank) reports.push_back(report(rank, {reduce(8)}));
  reports[37].waits = false;
  const std::string table = hang_table(reports);
  CHECK(table.find("\n    37      9     3  computes") != std::string::npos);
  CHECK(table.find("\n  and 24 more") != std::string::npos);
}

TEST_CASE("hang report: it is the same on the other side of a store") {
  const RankReport one = report(3, {reduce(8), gather(4096), {Operation::barrier, 0}});
  const RankReport other = report_from(as_text(one));
  CHECK(hang_table({one}) == hang_table({other}));
  REQUIRE(other.traces.size() == 1);
  CHECK(other.traces[0].calls == one.traces[0].calls);
  CHECK(where_calls_part({one, other}) == "");
  CHECK_THROWS_AS(report_from("{}"), std::exception);
}

TEST_CASE("hang report: the first call in which two ranks differ is named") {
  const std::vector<Call> same{reduce(8), gather(64), reduce(8)};
  std::vector<Call> other = same;
  other[1] = gather(32);
  other[2] = reduce(16);
  const std::string expected =
      "the calls part: call 1 of dp #2 is all_gather of 64 bytes on rank 0 and all_gather of 32 "
      "bytes on rank 2";
  CHECK(where_calls_part({report(0, same), report(1, same), report(2, other)}) == expected);
  // One that is behind, or has not come at all, differs in nothing.
  CHECK(where_calls_part({report(0, same), report(1, {reduce(8)}), report(2, {})}) == "");
  // What is older than the calls that are kept is not compared.
  CHECK(where_calls_part({report(0, same, 1), report(1, {reduce(8), gather(1), reduce(8)}, 1)}) ==
        "");
}

TEST_CASE("hang report: ranks of other groups are not compared") {
  const auto where = std::make_unique<Whereabouts>();
  where->traces[where->begin_trace(6, "dp #2")].add(gather(1));
  CHECK(where_calls_part({report(0, {reduce(8)}), report_of(*where, 1, 128)}) == "");
}
