#include "host/distributed/call_trace.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <thread>

namespace {

using namespace mortise::host;

Call numbered(std::uint64_t n) { return {Operation::all_reduce, std::int64_t(n * 8)}; }

}  // namespace

TEST_CASE("call trace: the last calls are there, those to come and those long ago are not") {
  const auto trace = std::make_unique<CallTrace>();
  trace->begin(7, "dp #1");
  CHECK(trace->id() == 7);
  CHECK(std::string(trace->label()) == "dp #1");
  CHECK_FALSE(trace->at(0));
  for (std::uint64_t n = 0; n != 3 * CallTrace::kKept; ++n) CHECK(trace->add(numbered(n)) == n);
  const std::uint64_t size = trace->size();
  CHECK(size == 3 * CallTrace::kKept);
  CHECK_FALSE(trace->at(size));
  for (std::uint64_t n = size - CallTrace::kKept + 1; n != size; ++n)
    CHECK(trace->at(n) == numbered(n));
  CHECK_FALSE(trace->at(size - CallTrace::kKept - 1));
}

TEST_CASE("call trace: sizes and operations survive, also the largest") {
  const auto trace = std::make_unique<CallTrace>();
  for (const std::int64_t bytes : {std::int64_t(0), std::int64_t(1), std::int64_t(1) << 50})
    for (int o = 0; o <= int(Operation::barrier); ++o) {
      const Call call{Operation(o), bytes};
      CHECK(trace->at(trace->add(call)) == call);
    }
  CHECK(text_of({Operation::send, 24}) == "send of 24 bytes");
  CHECK(text_of({Operation::barrier, 0}) == "barrier");
}

TEST_CASE("call trace: a label that is too long is cut") {
  const auto trace = std::make_unique<CallTrace>();
  trace->begin(1, std::string(100, 'x'));
  CHECK(std::string(trace->label()) == std::string(31, 'x'));
}

TEST_CASE("call trace: who reads while calls are added sees right ones or none") {
  const auto trace = std::make_unique<CallTrace>();
  std::thread writer([&] {
    for (std::uint64_t n = 0; n != 200000; ++n) trace->add(numbered(n));
  });
  std::uint64_t seen = 0, wrong = 0;
  for (std::uint64_t size = 0; size < 200000;) {
    size = trace->size();
    // The next one to be written over.
    const std::uint64_t n = size < CallTrace::kKept ? 0 : size - CallTrace::kKept + 1;
    const auto call = trace->at(n);
    seen += call.has_value();
    wrong += call && *call != numbered(n);
  }
  writer.join();
  CHECK(seen > 0);
  CHECK(wrong == 0);
  CHECK(trace->at(199999) == numbered(199999));
}
