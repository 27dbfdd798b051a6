#include "host/training/data_feed.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

namespace mortise::host {
namespace {

template <class T>
void widen(const Array& array, std::int64_t* out) {
  const T* values = array.as<T>();
  for (std::int64_t i = 0; i != array.count(); ++i) out[i] = std::int64_t(values[i]);
}

void copy_tokens(const Array& array, std::int64_t* out) {
  switch (array.dtype) {
    case DType::uint8:
      return widen<std::uint8_t>(array, out);
    case DType::uint16:
      return widen<std::uint16_t>(array, out);
    case DType::uint32:
      return widen<std::uint32_t>(array, out);
    case DType::int32:
      return widen<std::int32_t>(array, out);
    case DType::int64:
      return widen<std::int64_t>(array, out);
    default:
      throw DataError("a sample's tokens are no integers");
  }
}

const Array* find(const Sample& sample, std::string_view name) {
  for (const Array& a : sample.arrays)
    if (a.name == name) return &a;
  return nullptr;
}

// Names the first id that the model has no row for.
void check_ids(const Dataset& dataset, std::int64_t index, const std::int64_t* ids,
               std::int64_t count, std::int64_t vocabulary) {
  for (std::int64_t i = 0; i != count; ++i)
    if (ids[i] < 0 || ids[i] >= vocabulary)
      throw DataError(dataset.where(index) + ": token " + std::to_string(i) +
                      " of the sample has id " + std::to_string(ids[i]) +
                      ", the model's vocabulary has " + std::to_string(vocabulary) +
                      ": pack the data with the tokenizer of this run, or give the model a larger "
                      "vocabulary_size");
}

void mask_targets(const Array& mask, std::int64_t* targets) {
  const auto* counted = mask.as<std::uint8_t>();
  for (std::int64_t i = 0; i != mask.count(); ++i)
    if (counted[i] == 0) targets[i] = -100;
}

}  // namespace

Batch batch_of(const Dataset& dataset, const std::vector<std::int64_t>& indices,
               std::int64_t vocabulary) {
  const std::vector<Sample> samples = dataset.read(indices);
  at::Tensor ids, masked;
  for (std::size_t i = 0; i != samples.size(); ++i) {
    const Array* tokens = find(samples[i], "tokens");
    if (tokens == nullptr)
      throw DataError(dataset.where(indices[i]) + ": the sample has no tokens");
    if (!ids.defined()) ids = at::empty({std::int64_t(samples.size()), tokens->count()}, at::kLong);
    if (tokens->count() != ids.size(1))
      throw DataError(dataset.where(indices[i]) + ": the sample has " +
                      std::to_string(tokens->count()) + " tokens, the one before it " +
                      std::to_string(ids.size(1)));
    std::int64_t* row = ids.mutable_data_ptr<std::int64_t>() + std::int64_t(i) * ids.size(1);
    copy_tokens(*tokens, row);
    if (vocabulary > 0) check_ids(dataset, indices[i], row, ids.size(1), vocabulary);
  }
  const std::int64_t length = ids.size(1) - 1;
  at::Tensor targets = ids.narrow(1, 1, length).clone();  // a mask changes them, never the tokens
  for (std::size_t i = 0; i != samples.size(); ++i)
    if (const Array* mask = find(samples[i], "mask"); mask != nullptr)
      mask_targets(*mask, targets.mutable_data_ptr<std::int64_t>() + std::int64_t(i) * length);
  Batch batch;
  batch.set("tokens", ids.narrow(1, 0, length).contiguous());
  batch.set("targets", targets);
  batch.set("positions", at::arange(length, at::kLong).expand({ids.size(0), length}).contiguous());
  return batch;
}

DataFeed::DataFeed(const Dataset& dataset, const SampleOrder& order, BatchGeometry geometry,
                   std::int64_t vocabulary)
    : dataset_(dataset), order_(order), geometry_(geometry), vocabulary_(vocabulary) {}

DataFeed::~DataFeed() {
  if (ahead_.valid()) ahead_.wait();
}

Rounds DataFeed::read(std::int64_t step) const {
  Rounds rounds;
  for (std::int64_t r = 0; r != geometry_.rounds(); ++r) {
    rounds.emplace_back();
    const std::int64_t k = r * geometry_.ranks + geometry_.rank;
    if (k >= geometry_.micro_batches()) continue;
    const std::int64_t from = k * geometry_.micro_batch;
    const std::int64_t count = std::min(geometry_.micro_batch, geometry_.sequences - from);
    const OrderRequest request{step * geometry_.sequences + from, count, dataset_.size()};
    rounds.back() = batch_of(dataset_, order_.indices(request), vocabulary_);
  }
  return rounds;
}

Rounds DataFeed::next(std::int64_t step) {
  Rounds rounds = ahead_.valid() && ahead_step_ == step ? ahead_.get() : read(step);
  if (ahead_.valid()) ahead_.wait();
  ahead_step_ = step + 1;
  ahead_ = std::async(std::launch::async, [this, step] { return read(step + 1); });
  return rounds;
}

Rounds evaluation_rounds(const Dataset& dataset, std::int64_t samples, BatchGeometry geometry,
                         std::int64_t vocabulary) {
  geometry.sequences = samples;
  Rounds rounds;
  for (std::int64_t r = 0; r != geometry.rounds(); ++r) {
    rounds.emplace_back();
    std::int64_t k = r * geometry.ranks + geometry.rank;
    if (k >= geometry.micro_batches() && !geometry.fills) continue;
    if (k >= geometry.micro_batches()) k = 0;
    std::vector<std::int64_t> indices;
    for (std::int64_t i = k * geometry.micro_batch;
         i != std::min((k + 1) * geometry.micro_batch, samples); ++i)
      indices.push_back(i);
    rounds.back() = batch_of(dataset, indices, vocabulary);
  }
  return rounds;
}

}  // namespace mortise::host
