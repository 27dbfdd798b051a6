// The number of each method, by which two drafts of one interface are told apart.

#include <doctest/doctest.h>

#include <cstdio>
#include <mortise/data/dataset.hpp>
#include <mortise/data/sample_order.hpp>
#include <mortise/data/tokenizer.hpp>
#include <mortise/optim/learning_rate_schedule.hpp>
#include <mortise/run/command.hpp>
#include <mortise/run/metric_sink.hpp>
#include <mortise/run/metrics.hpp>
#include <set>
#include <sstream>

#include "tests/unit/plugins_data/scratch_folder.hpp"
#include "tests/unit/sdk/counter_releases.hpp"
#include "tests/unit/sdk/echo.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;

template <class I>
void assert_fingerprint(std::ostream& out, const char* name) {
  std::size_t slot = 0;
  for (const std::uint32_t code : Remote<I>::Methods::fingerprint())
    out << "static_assert(mortise::Remote<mortise::" << name << ">::Methods::fingerprint()["
        << slot++ << "] == " << code << "u);\n";
}

// A source that compiles only where all numbers of the torch-free interfaces are ours.
std::string assertions() {
  std::ostringstream out;
  for (const char* header :
       {"data/dataset", "data/sample_order", "data/tokenizer", "optim/learning_rate_schedule",
        "run/command", "run/metric_sink", "run/metrics"})
    out << "#include <mortise/" << header << ".hpp>\n";
  assert_fingerprint<Dataset>(out, "Dataset");
  assert_fingerprint<SampleOrder>(out, "SampleOrder");
  assert_fingerprint<Tokenizer>(out, "Tokenizer");
  assert_fingerprint<LearningRateSchedule>(out, "LearningRateSchedule");
  assert_fingerprint<Command>(out, "Command");
  assert_fingerprint<MetricSink>(out, "MetricSink");
  assert_fingerprint<Metrics>(out, "Metrics");
  assert_fingerprint<Logger>(out, "Logger");
  out << "static_assert(mortise::Remote<mortise::Dataset>::Methods::names()[2] == \"read\");\n";
  return out.str();
}

bool compiles(const std::string& compiler, const std::string& file) {
  const std::string command = compiler +
                              " -std=c++20 -fsyntax-only -I " MORTISE_SOURCE_DIR "/sdk/include " +
                              file + " > " + file + ".log 2>&1";
  return std::system(command.c_str()) == 0;
}

}  // namespace

TEST_CASE("fingerprint: changes with every part of a signature") {
  using kit::signature_code;
  const std::set<std::uint32_t> different = {
      signature_code<void>(),
      signature_code<void, std::int64_t>(),
      signature_code<std::int64_t>(),
      signature_code<void, std::uint64_t>(),
      signature_code<void, std::int32_t>(),
      signature_code<void, double>(),
      signature_code<void, bool>(),
      signature_code<void, std::int64_t, double>(),
      signature_code<void, double, std::int64_t>(),
      signature_code<void, std::string_view>(),
      signature_code<void, std::span<const std::int64_t>>(),
      signature_code<void, std::vector<std::string>>(),
      signature_code<void, Point>(),
      signature_code<void, std::vector<Point>>(),
      signature_code<void, Figure>(),
      signature_code<void, Values>(),
      signature_code<void, Listener&>(),
      signature_code<void, Counter&>(),
      signature_code<std::unique_ptr<Listener>>(),
      signature_code<std::unique_ptr<Counter>>(),
  };
  CHECK(different.size() == 20);
}

TEST_CASE("fingerprint: does not change with what does not cross") {
  using kit::signature_code;
  CHECK(signature_code<void, const Point&>() == signature_code<void, Point>());
  CHECK(signature_code<void, std::string_view>() == signature_code<void, const std::string&>());
  CHECK(signature_code<Colour>() == signature_code<std::int32_t>());
  CHECK(kit::signature_of(&Echo::flag) == kit::signature_code<bool, bool>());
  CHECK(kit::signature_of(&Echo::integer) ==
        kit::signature_code<std::int64_t, std::int64_t>());  // const
}

TEST_CASE("fingerprint: a struct that grew keeps its number") {
  CHECK(kit::signature_code<void, WindowNow>() == kit::signature_code<void, WindowThen>());
}

TEST_CASE("fingerprint: an appended method leaves the numbers before it") {
  using Before = kit::Methods<&Counter::next, &Counter::twice>;
  const auto now = Remote<Counter>::Methods::fingerprint();
  const auto before = Before::fingerprint();
  CHECK(std::equal(before.begin(), before.end(), now.begin()));
}

TEST_CASE("fingerprint: clang gives the numbers that this compiler gives") {
  if (std::system("clang++ --version > /dev/null 2>&1") != 0) {
    MESSAGE("skipped: there is no clang++ here");
    return;
  }
  const ScratchFolder folder;
  const std::string source = assertions();
  const std::string good = folder.write("good.cpp", source);
  CHECK_MESSAGE(compiles("clang++", good), folder.read("good.cpp.log"));
  const std::string bad = folder.write(
      "bad.cpp",
      source +
          "static_assert(mortise::Remote<mortise::Tokenizer>::Methods::fingerprint()[0] == 0);\n");
  CHECK_FALSE(compiles("clang++", bad));
}
