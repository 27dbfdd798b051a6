#pragma once

#include <mortise/c/dataset.h>

#include <cstdint>
#include <mortise/data/array.hpp>
#include <span>
#include <string>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// One sample: named arrays. For text: `tokens` [sequence_length + 1], of which the first
/// sequence_length are the input and the last sequence_length the targets. Optional `mask`
/// [sequence_length], boolean: 0 where a target does not count.
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
}  // namespace kit

template <>
class Remote<Dataset> final : public kit::RemoteBase<Dataset, mt_dataset_v1> {
 public:
  static constexpr const char* id = "mortise/dataset/1";
  using Methods = kit::Methods<&Dataset::info, &Dataset::size, &Dataset::read, &Dataset::where>;
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
};

}  // namespace mortise
