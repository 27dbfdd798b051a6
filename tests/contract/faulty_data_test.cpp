// The suites can fail: components with one fault each, and the sentence that must be found.

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "sdk/conformance/data/dataset_contract.hpp"
#include "sdk/conformance/data/sample_order_contract.hpp"
#include "sdk/conformance/data/tokenizer_contract.hpp"
#include "sdk/conformance/optim/learning_rate_schedule_contract.hpp"
#include "sdk/conformance/run/command_contract.hpp"
#include "sdk/conformance/run/metric_sink_contract.hpp"
#include "sdk/conformance/run/services_contract.hpp"
#include "tests/no_failures.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;
using Ids = std::vector<std::uint32_t>;

// Bytes as ids, with hooks for one fault.
class HookedTokenizer final : public Tokenizer {
 public:
  Ids encode(std::string_view text) const override {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    Ids ids(bytes, bytes + text.size());
    if (change_ids) change_ids(ids);
    return ids;
  }
  std::string decode(std::span<const std::uint32_t> ids) const override {
    std::string text;
    for (const std::uint32_t id : ids) {
      if (id > 256 && checks_range)
        throw Error(ErrorCode::bad_argument, "id " + std::to_string(id));
      if (id < 256) text.push_back(char(id));
    }
    if (change_text) change_text(text);
    return text;
  }
  std::int64_t vocabulary_size() const override { return size; }
  std::vector<SpecialToken> special_tokens() const override { return special; }
  std::string fingerprint() const override { return "bytes"; }
  EncodedBatch encode_batch(const std::vector<std::string_view>& texts) const override {
    EncodedBatch batch = Tokenizer::encode_batch(texts);
    if (drops_an_end && !batch.ends.empty()) batch.ends.pop_back();
    return batch;
  }

  std::function<void(Ids&)> change_ids;
  std::function<void(std::string&)> change_text;
  std::int64_t size = 257;
  std::vector<SpecialToken> special{{"end_of_document", 256}};
  bool checks_range = true, drops_an_end = false;
};

class HookedDataset final : public Dataset {
 public:
  DatasetInfo info() const override { return {"memory", samples, 100, -1, "", 257, 90}; }
  std::int64_t size() const override { return 20; }
  std::vector<Sample> read(std::span<const std::int64_t> indices) const override {
    std::vector<std::int64_t> order(indices.begin(), indices.end());
    if (sorts) std::sort(order.begin(), order.end());
    std::vector<Sample> all;
    for (const std::int64_t i : order) {
      std::vector<std::int64_t> tokens{i, i + 1, i + 2, largest};
      if (counts) tokens[0] += reads_++;
      all.push_back({{array_of("tokens", DType::int64, tokens)}});
    }
    return all;
  }
  std::string where(std::int64_t i) const override {
    return places ? "line " + std::to_string(i) : "";
  }

  std::int64_t samples = 20, largest = 50;
  bool sorts = false, counts = false, places = true;

 private:
  mutable std::atomic<std::int64_t> reads_ = 0;
};

class HookedOrder final : public SampleOrder {
 public:
  std::vector<std::int64_t> indices(const OrderRequest& r) const override {
    if (checks && (r.first < 0 || r.count <= 0 || r.samples <= 0))
      throw Error(ErrorCode::bad_argument, "request");
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < r.count; ++i) all.push_back(pick(r, r.first + i));
    return all;
  }
  std::function<std::int64_t(const OrderRequest&, std::int64_t)> pick =
      [](const OrderRequest& r, std::int64_t p) { return r.samples > 0 ? p % r.samples : 0; };
  bool checks = true;
};

class HookedSchedule final : public LearningRateSchedule {
 public:
  double factor(const Progress& p) const override { return curve(p); }
  std::function<double(const Progress&)> curve = [](const Progress&) { return 1.0; };
};

template <class T, class Check>
void expect_found(const char* part, const std::function<void(T&)>& fault, Check check) {
  CAPTURE(std::string(part));
  T object;
  fault(object);
  Report report;
  check(object, report);
  INFO(report.text());
  CHECK(found(report, part));
}

}  // namespace

TEST_CASE("faults: the suite of tokenizers finds each") {
  const auto check = [](const Tokenizer& t, Report& r) {
    conformance::check_tokenizer_contract(t, r);
  };
  Report good;
  check(HookedTokenizer(), good);
  check_no_failures(good);
  const auto finds = [&](const char* part, const std::function<void(HookedTokenizer&)>& fault) {
    expect_found<HookedTokenizer>(part, fault, check);
  };
  finds("ids are in [0, vocabulary_size)", [](auto& t) { t.size = 100; });
  finds("adds no special tokens",
        [](auto& t) { t.change_ids = [](Ids& ids) { ids.push_back(256); }; });
  finds("an empty text has no ids",
        [](auto& t) { t.change_ids = [](Ids& ids) { ids.push_back(1); }; });
  finds("four bytes a character (astral): decode: gives back", [](auto& t) {
    t.change_ids = [](Ids& ids) { std::erase_if(ids, [](auto id) { return id == 0xf0; }); };
  });
  finds("combining characters: decode: gives back", [](auto& t) {
    t.change_text = [](std::string& s) {
      if (const auto at = s.find("e\u0301"); at != s.npos) s.replace(at, 3, "\u00e9");
    };
  });
  finds("refuses an id that is out of range", [](auto& t) { t.checks_range = false; });
  finds("each text has an end", [](auto& t) { t.drops_an_end = true; });
  finds("names are unique", [](auto& t) { t.special.push_back(t.special.front()); });
  finds("gives the same ids every time", [](auto& t) {
    t.change_ids = [n = std::make_shared<std::atomic<int>>(0)](Ids& ids) {
      if (!ids.empty()) ids[0] = std::uint32_t((*n)++ % 200);
    };
  });
}

TEST_CASE("faults: the suite of data sets finds each") {
  const auto check = [](const Dataset& d, Report& r) {
    conformance::check_dataset_contract(d, r, {3});
  };
  Report good;
  check(HookedDataset(), good);
  check_no_failures(good);
  const auto finds = [&](const char* part, const std::function<void(HookedDataset&)>& fault) {
    expect_found<HookedDataset>(part, fault, check);
  };
  finds("in the order of the indices", [](auto& d) { d.sorts = true; });
  finds("the same samples every time", [](auto& d) { d.counts = true; });
  finds("reads do not disturb each other", [](auto& d) { d.counts = true; });
  finds("samples is size() or -1", [](auto& d) { d.samples = 19; });
  finds("no token is above info().largest_token", [](auto& d) { d.largest = 91; });
  finds("below info().vocabulary_size", [](auto& d) { d.largest = 257; });
  finds("tokens are not negative", [](auto& d) { d.largest = -1; });
  finds("every sample has a place", [](auto& d) { d.places = false; });
}

TEST_CASE("faults: the suite of sample orders finds each") {
  const auto check = [](const SampleOrder& o, Report& r) {
    conformance::check_sample_order_contract(o, r);
  };
  Report good;
  check(HookedOrder(), good);
  check_no_failures(good);
  const auto finds = [&](const char* part, const std::function<void(HookedOrder&)>& fault) {
    expect_found<HookedOrder>(part, fault, check);
  };
  finds("is a permutation", [](auto& o) {
    o.pick = [](const OrderRequest& r, std::int64_t p) { return p % r.samples / 2; };
  });
  finds("any split of a request gives the same", [](auto& o) {
    o.pick = [](const OrderRequest& r, std::int64_t p) { return (p - r.first) % r.samples; };
  });
  finds("refuses a negative or empty request", [](auto& o) { o.checks = false; });
}

TEST_CASE("faults: the suite of schedules finds each") {
  const auto finds = [&](const char* part, double (*curve)(const Progress&)) {
    expect_found<HookedSchedule>(
        part, [&](auto& s) { s.curve = curve; },
        [](const LearningRateSchedule& s, Report& r) {
          conformance::check_learning_rate_schedule_contract(s, 10, r);
        });
  };
  finds("is finite", [](const Progress& p) { return 1.0 / double(p.step - 5); });
  finds("is not negative", [](const Progress& p) { return double(5 - p.step); });
  finds("past the horizon it is the final one",
        [](const Progress& p) { return 1.0 / double(1 + p.step); });
  finds("depends on the progress alone", [](const Progress&) {
    static int calls = 0;
    return double(++calls);
  });
}

TEST_CASE("faults: the suites of sinks, commands and services find what is thrown") {
  class RefusesNan final : public MetricSink {
    void begin(const RunInfo&) override {}
    void write(const StepRecord& r) override {
      for (const Metric& m : r.values)
        if (std::isnan(m.value)) throw DataError("not a number");
    }
    void message(LogLevel, std::string_view) override {}
    void flush() override {}
  } sink;
  class ExitsWith500 final : public Command {
    std::int64_t run() override { return 500; }
  } command;
  class ThrowsOnEmpty final : public Logger {
    void log(LogLevel, std::string_view text) override {
      if (text.empty()) throw std::runtime_error("nothing to say");
    }
  } logger;
  Report report;
  conformance::check_metric_sink_contract(sink, {}, report);
  conformance::check_command_contract(command, report);
  conformance::check_logger_contract(logger, report);
  INFO(report.text());
  CHECK(found(report, "a run: threw mortise::DataError: not a number"));
  CHECK(found(report, "another thread: threw"));
  CHECK(found(report, "the exit code is in [0, 125]"));
  CHECK(found(report, "log: threw nothing to say"));
}

TEST_CASE("report: says where, once, and what a refusal did instead") {
  Report report;
  {
    const auto scope = report.inside("crossed");
    report.expect(false, "x: is true");
    report.expect(false, "x: is true");
    report.expect(true, "y: is true");
  }
  report.expect_refusal(ErrorCode::bad_argument, "7", "f: refuses 7", [] {});
  report.expect_refusal(ErrorCode::bad_argument, "7", "g: refuses 7", [] { throw DataError("7"); });
  report.expect_refusal(ErrorCode::bad_data, "7", "h: refuses 7", [] { throw DataError("eight"); });
  report.expect_refusal(ErrorCode::bad_data, "7", "i: refuses 7", [] { throw DataError("no 7"); });
  CHECK(report.failures() == std::vector<std::string>{"crossed: x: is true",
                                                      "f: refuses 7, but nothing was thrown",
                                                      "g: refuses 7, but the error has code 6: 7",
                                                      "h: refuses 7, naming 7: eight"});
  CHECK(report.checked() == 7);
}
