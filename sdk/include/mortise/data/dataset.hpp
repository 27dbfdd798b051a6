#pragma once

#include <mortise/c/dataset.h>

#include <cstdint>
#include <mortise/data/array.hpp>
#include <mortise/data/sample_order.hpp>
#include <span>
#include <string>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// One sample: named arrays. For text: `tokens` [sequence_length + 1], of which the first
/// sequence_length are the input and the last sequence_length the targets. Optional `mask`
/// [sequence_length], boolean: 0 where a target does not count. Optional `document_ids`
/// [sequence_length + 1], integers: each run of equal numbers is a document; given exactly when the
/// data set isolates documents. Optional `source` [1], int64: the position in Dataset::sources of
/// what the sample comes from.
struct Sample {
  std::vector<Array> arrays{};
};

/// What a data set knows of itself before anything is read; -1 or empty where it does not know.
struct DatasetInfo {
  std::string source{};
  std::int64_t samples = -1, tokens = -1, documents = -1;
  std::string tokenizer_fingerprint{};
  std::int64_t vocabulary_size = -1, largest_token = -1;
};

/// A stretch of a run, the positions [first, first + count), and how long the run is; 0 where that
/// is not known.
struct DrawRequest {
  std::int64_t first = 0, count = 0;
  std::int64_t total_steps = 0, sequences_per_step = 0, tokens_per_step = 0;
};

/// What a run has taken of a source.
struct SourceUse {
  std::string name{};
  std::int64_t drawn = 0, samples = 0;
};

/// Numbered samples that never change during a run.
///
/// The host chooses the order (SampleOrder), cuts it into micro-batches and makes tensors.
/// Settings named `part` and `hold_out` are set by the host when a run holds out a part: the same
/// node is made twice, with part `train` and `held_out`.
///
/// Errors:  construction throws ConfigError or DataError (exit code 4) with file and place; fewer
///          tokens than one sequence is a DataError with both numbers.
/// Threads: any thread may call; reads must not disturb each other.
/// Ranks:   local; equal on every rank. Files that a component makes are made by one rank.
class Dataset : public Interface {
 public:
  virtual DatasetInfo info() const = 0;
  /// How many samples there are; at least 1.
  virtual std::int64_t size() const = 0;
  /// The samples at `indices`, each in [0, size()), in that order.
  virtual std::vector<Sample> read(std::span<const std::int64_t> indices) const = 0;
  /// Where sample `index` comes from, for messages: file and position.
  virtual std::string where(std::int64_t index) const = 0;
  /// The samples at positions of a run. What mixes sources decides itself which one a position
  /// belongs to and asks `order` for each; the answer depends on the request alone. The host asks
  /// for the last position before the first step, so that what does not suffice is known then.
  /// Errors: DataError where a source has too few samples for the run.
  virtual std::vector<std::int64_t> draw(SampleOrder& order, const DrawRequest& request) const {
    return order.indices({request.first, request.count, size()});
  }
  /// The sources that samples name and what the positions before `until.first` take of each; none
  /// for a data set that is one.
  virtual std::vector<SourceUse> sources(const DrawRequest&) const { return {}; }
};

namespace kit {
template <>
struct members<Sample> {
  MORTISE_MEMBERS(Sample, mt_sample);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(arrays)};
};
template <>
struct members<DatasetInfo> {
  MORTISE_MEMBERS(DatasetInfo, mt_dataset_info);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(source),
                                         MORTISE_MEMBER(samples),
                                         MORTISE_MEMBER(tokens),
                                         MORTISE_MEMBER(documents),
                                         MORTISE_MEMBER(tokenizer_fingerprint),
                                         MORTISE_MEMBER(vocabulary_size),
                                         MORTISE_MEMBER(largest_token)};
};
template <>
struct members<DrawRequest> {
  MORTISE_MEMBERS(DrawRequest, mt_draw_request);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(first), MORTISE_MEMBER(count), MORTISE_MEMBER(total_steps),
                 MORTISE_MEMBER(sequences_per_step), MORTISE_MEMBER(tokens_per_step)};
};
template <>
struct members<SourceUse> {
  MORTISE_MEMBERS(SourceUse, mt_source_use);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(name), MORTISE_MEMBER(drawn), MORTISE_MEMBER(samples)};
};
}  // namespace kit

template <>
class Remote<Dataset> final : public kit::RemoteBase<Dataset, mt_dataset_v1> {
 public:
  static constexpr const char* id = "mortise/dataset/1";
  using Methods = kit::Methods<&Dataset::info, &Dataset::size, &Dataset::read, &Dataset::where,
                               &Dataset::draw, &Dataset::sources>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  DatasetInfo info() const override { return call(&Table::info, &Dataset::info); }
  std::int64_t size() const override { return call(&Table::size, &Dataset::size); }
  std::vector<Sample> read(std::span<const std::int64_t> indices) const override {
    return call(&Table::read, &Dataset::read, indices);
  }
  std::string where(std::int64_t index) const override {
    return call(&Table::where, &Dataset::where, index);
  }
  std::vector<std::int64_t> draw(SampleOrder& order, const DrawRequest& request) const override {
    if (!has(&Table::draw)) return Dataset::draw(order, request);
    return call(&Table::draw, &Dataset::draw, order, request);
  }
  std::vector<SourceUse> sources(const DrawRequest& until) const override {
    if (!has(&Table::sources)) return {};
    return call(&Table::sources, &Dataset::sources, until);
  }
};

}  // namespace mortise
