#pragma once

// What every Dataset owes its caller, whatever its samples.

#include <mortise/data/dataset.hpp>
#include <set>

#include "../at_once.hpp"
#include "../both_ways.hpp"

namespace mortise::conformance {

struct DatasetTraits {
  std::int64_t sequence_length = 0;  // of a text data set; 0: not one
};

namespace dataset {

inline bool equal(const Array& a, const Array& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape && a.data == b.data;
}
inline bool equal(const Sample& a, const Sample& b) {
  return std::equal(a.arrays.begin(), a.arrays.end(), b.arrays.begin(), b.arrays.end(),
                    [](const Array& x, const Array& y) { return equal(x, y); });
}
inline bool equal(const std::vector<Sample>& a, const std::vector<Sample>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Sample& x, const Sample& y) { return equal(x, y); });
}
inline Sample one(const Dataset& data, std::int64_t index) {
  return data.read(std::vector<std::int64_t>{index}).at(0);
}

// Some indices, the first and the last among them.
inline std::vector<std::int64_t> probes(std::int64_t size) {
  std::vector<std::int64_t> all;
  const std::int64_t stride = std::max<std::int64_t>(1, size / 16);
  for (std::int64_t i = 0; i < size; i += stride) all.push_back(i);
  if (all.back() != size - 1) all.push_back(size - 1);
  return all;
}

inline void check_facts(const Dataset& data, Report& report) {
  const std::int64_t size = data.size();
  report.expect(size >= 1, "size: is at least 1");
  report.expect(data.size() == size, "size: is the same every time");
  const DatasetInfo info = data.info();
  report.expect(info.samples == -1 || info.samples == size, "info: samples is size() or -1");
  for (const std::int64_t n :
       {info.tokens, info.documents, info.vocabulary_size, info.largest_token})
    report.expect(n >= -1, "info: a number is -1 where it is not known, never less");
  const DatasetInfo again = data.info();
  report.expect(again.source == info.source && again.tokens == info.tokens &&
                    again.tokenizer_fingerprint == info.tokenizer_fingerprint,
                "info: is the same every time");
  for (const std::int64_t i : probes(size))
    report.expect(!data.where(i).empty(), "where: every sample has a place");
}

inline void check_tokens(const Array& tokens, const DatasetInfo& info, std::int64_t sequence_length,
                         Report& report) {
  report.expect(tokens.dtype == DType::int64 && tokens.shape == Shape{sequence_length + 1},
                "read: tokens are int64 [sequence_length + 1]");
  if (tokens.dtype != DType::int64) return;
  for (std::int64_t i = 0; i != tokens.count(); ++i) {
    const std::int64_t id = tokens.as<std::int64_t>()[i];
    report.expect(id >= 0, "read: tokens are not negative");
    report.expect(info.vocabulary_size < 0 || id < info.vocabulary_size,
                  "read: tokens are below info().vocabulary_size");
    report.expect(info.largest_token < 0 || id <= info.largest_token,
                  "read: no token is above info().largest_token");
  }
}

inline void check_samples(const Dataset& data, const DatasetTraits& traits, Report& report) {
  const DatasetInfo info = data.info();
  for (const std::int64_t index : probes(data.size())) {
    std::set<std::string> names;
    for (const Array& a : one(data, index).arrays) {
      report.expect(!a.name.empty() && names.insert(a.name).second,
                    "read: the arrays of a sample have names of their own");
      report.expect(a.data.size() == std::size_t(a.count()) * bytes_of(a.dtype),
                    "read: an array has as many bytes as its shape and type need");
      if (traits.sequence_length > 0 && a.name == "tokens")
        check_tokens(a, info, traits.sequence_length, report);
      if (traits.sequence_length > 0 && a.name == "mask")
        report.expect(a.dtype == DType::boolean && a.shape == Shape{traits.sequence_length},
                      "read: a mask is boolean [sequence_length]");
      if (traits.sequence_length > 0 && a.name == "document_ids")
        report.expect(a.shape == Shape{traits.sequence_length + 1},
                      "read: document_ids are [sequence_length + 1]");
      if (a.name == "source")
        report.expect(a.dtype == DType::int64 && a.shape == Shape{1} &&
                          a.as<std::int64_t>()[0] >= 0 &&
                          a.as<std::int64_t>()[0] < std::int64_t(data.sources({}).size()),
                      "read: source is int64 [1], a position in sources()");
    }
    report.expect(!names.empty(), "read: a sample has an array");
    report.expect(traits.sequence_length == 0 || names.count("tokens") == 1,
                  "read: a sample of text has tokens");
  }
}

inline void check_reads(const Dataset& data, Report& report) {
  std::vector<std::int64_t> indices = probes(data.size());
  std::reverse(indices.begin(), indices.end());
  indices.push_back(indices.front());  // twice
  const std::vector<Sample> samples = data.read(indices);
  if (!report.expect(samples.size() == indices.size(), "read: one sample for each index")) return;
  for (std::size_t i = 0; i != indices.size(); ++i)
    report.expect(equal(samples[i], one(data, indices[i])),
                  "read: samples come in the order of the indices");
  report.expect(equal(data.read(indices), samples), "read: gives the same samples every time");
  report.expect(data.read({}).empty(), "read: no indices have no samples");
}

class Stored final : public SampleOrder {
 public:
  std::vector<std::int64_t> indices(const OrderRequest& r) const override {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i != r.count; ++i) all.push_back((r.first + i) % r.samples);
    return all;
  }
};

// The positions of a run of 30 steps of 7 sequences, whole and one by one.
inline void check_draws(const Dataset& data, Report& report) {
  Stored order;
  const DrawRequest run{0, 210, 30, 7, 70};
  const std::vector<std::int64_t> whole = data.draw(order, run);
  if (!report.expect(whole.size() == 210, "draw: one sample for each position")) return;
  for (std::int64_t p = 0; p != 210; ++p) {
    DrawRequest one = run;
    one.first = p, one.count = 1;
    const std::int64_t index = whole[std::size_t(p)];
    report.expect(data.draw(order, one) == std::vector<std::int64_t>{index},
                  "draw: any split of a request gives the same");
    report.expect(index >= 0 && index < data.size(), "draw: samples are in [0, size())");
  }
}

inline void check_at_once(const Dataset& data, Report& report) {
  const std::vector<std::int64_t> indices = probes(data.size());
  const std::vector<Sample> expected = data.read(indices);
  std::array<bool, 4> same{};
  run_at_once(4, [&](int thread) {
    bool all = true;
    for (int round = 0; round != 8; ++round) {
      all = all && equal(data.read(indices), expected);
      const std::size_t k = std::size_t(thread * 7 + round) % indices.size();
      all = all && equal(one(data, indices[k]), expected[k]) && data.size() >= 1;
    }
    same[std::size_t(thread)] = all;
  });
  report.expect(same == std::array<bool, 4>{true, true, true, true},
                "read: any thread may call; reads do not disturb each other");
}

}  // namespace dataset

inline void check_dataset_contract(const Dataset& data, Report& report, DatasetTraits traits = {}) {
  report.section("facts", [&] { dataset::check_facts(data, report); });
  report.section("samples", [&] { dataset::check_samples(data, traits, report); });
  report.section("reads", [&] { dataset::check_reads(data, report); });
  report.section("draws", [&] { dataset::check_draws(data, report); });
  report.section("threads", [&] { dataset::check_at_once(data, report); });
}

}  // namespace mortise::conformance
