#include "host/training/sample_batch.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

namespace mortise::host {
namespace {

constexpr std::int64_t kNotCounted = -100;

template <class T>
void widen(const Array& array, std::int64_t* out) {
  const T* values = array.as<T>();
  for (std::int64_t i = 0; i != array.count(); ++i) out[i] = std::int64_t(values[i]);
}

// Makes the rows of a batch of samples, and knows where each comes from when it has to complain.
class Rows {
 public:
  Rows(const Dataset& dataset, const std::vector<std::int64_t>& indices, const SampleForm& form)
      : dataset_(dataset), indices_(indices), form_(form), samples_(dataset.read(indices)) {
    if (samples_.size() != indices.size())
      throw DataError("asked for " + std::to_string(indices.size()) + " samples, got " +
                      std::to_string(samples_.size()));
  }

  std::int64_t count() const { return std::int64_t(samples_.size()); }
  const Array* find(std::int64_t row, std::string_view name) const {
    for (const Array& a : samples_[std::size_t(row)].arrays)
      if (a.name == name) return &a;
    return nullptr;
  }
  const Array& required(std::int64_t row, const std::string& name) const {
    if (const Array* found = find(row, name)) return *found;
    refuse(row, "the sample has no " + name);
  }
  [[noreturn]] void refuse(std::int64_t row, const std::string& what) const {
    throw DataError(dataset_.where(indices_[std::size_t(row)]) + ": " + what);
  }

  // `name` of each sample as a row of `size` integers.
  at::Tensor integers(const std::string& name, std::int64_t size) const {
    const at::Tensor all = at::empty({count(), size}, at::kLong);
    for (std::int64_t row = 0; row != count(); ++row) {
      const Array& array = required(row, name);
      if (array.count() != size)
        refuse(row, "the sample has " + std::to_string(array.count()) + " " + name + ", expected " +
                        std::to_string(size));
      copy(array, row, all.mutable_data_ptr<std::int64_t>() + row * size);
    }
    return all;
  }

  // Names the first id that the model has no row for.
  void check_ids(const at::Tensor& ids) const {
    const auto* id = ids.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i != ids.numel(); ++i)
      if (id[i] < 0 || id[i] >= form_.vocabulary)
        refuse(i / ids.size(1),
               "token " + std::to_string(i % ids.size(1)) + " of the sample has id " +
                   std::to_string(id[i]) + ", the model's vocabulary has " +
                   std::to_string(form_.vocabulary) +
                   ": pack the data with the tokenizer of this run, or give the model a larger "
                   "vocabulary_size");
  }

  void mask(at::Tensor& targets) const {
    const std::int64_t length = targets.size(1);
    for (std::int64_t row = 0; row != count(); ++row) {
      const Array* mask = find(row, "mask");
      if (mask == nullptr) continue;
      if (mask->count() != length || bytes_of(mask->dtype) != 1)
        refuse(row, "the sample's mask has " + std::to_string(mask->count()) +
                        " elements, expected " + std::to_string(length) + " of type boolean");
      const auto* counted = mask->as<std::uint8_t>();
      auto* target = targets.mutable_data_ptr<std::int64_t>() + row * length;
      for (std::int64_t i = 0; i != length; ++i)
        if (counted[i] == 0) target[i] = kNotCounted;
    }
  }

  // `data.documents` and the data set agree.
  void check_documents() const {
    for (std::int64_t row = 0; row != count(); ++row)
      if ((find(row, "document_ids") != nullptr) != form_.isolated)
        refuse(row, form_.isolated
                        ? "the data set does not say where documents end, which data.documents: "
                          "isolated needs"
                        : "the data set isolates documents, but data.documents says joined: set it "
                          "to isolated, where the model learns of it, too");
  }

 private:
  void copy(const Array& array, std::int64_t row, std::int64_t* out) const {
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
        refuse(row, "the sample's " + array.name + " are no integers");
    }
  }

  const Dataset& dataset_;
  const std::vector<std::int64_t>& indices_;
  const SampleForm& form_;
  std::vector<Sample> samples_;
};

// Each document begins at position 0; the last token of one does not predict the first of the next.
void part_documents(const at::Tensor& ids, at::Tensor& positions, at::Tensor& targets) {
  const std::int64_t length = targets.size(1);
  const auto* id = ids.const_data_ptr<std::int64_t>();
  auto* position = positions.mutable_data_ptr<std::int64_t>();
  auto* target = targets.mutable_data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row != targets.size(0);
       ++row, id += length + 1, position += length, target += length) {
    std::int64_t begin = 0;
    for (std::int64_t i = 0; i != length; ++i) {
      if (i > 0 && id[i] != id[i - 1]) begin = i;
      position[i] = i - begin;
      if (id[i + 1] != id[i]) target[i] = kNotCounted;
    }
  }
}

}  // namespace

Batch batch_of(const Dataset& dataset, const std::vector<std::int64_t>& indices,
               const SampleForm& form) {
  const Rows rows(dataset, indices, form);
  const std::int64_t length = form.sequence_length;
  const at::Tensor ids = rows.integers("tokens", length + 1);
  if (form.vocabulary > 0) rows.check_ids(ids);
  at::Tensor targets = ids.narrow(1, 1, length).clone();  // a mask changes them, never the tokens
  at::Tensor positions = at::arange(length, at::kLong).expand({rows.count(), length}).contiguous();
  rows.mask(targets);
  rows.check_documents();
  Batch batch;
  batch.set("tokens", ids.narrow(1, 0, length).contiguous());
  if (form.isolated) {
    const at::Tensor documents = rows.integers("document_ids", length + 1);
    part_documents(documents, positions, targets);
    batch.set("document_ids", documents.narrow(1, 0, length).contiguous());
  }
  batch.set("targets", targets);
  batch.set("positions", positions);
  if (rows.find(0, "source") != nullptr)
    batch.set("sources", rows.integers("source", 1).squeeze(1));
  return batch;
}

}  // namespace mortise::host
