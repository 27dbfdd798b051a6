#include "data_shuffle.hpp"

#include <functional>

#include "../../data/keyed_permutation/permutation.hpp"
#include "copy_document.hpp"
#include "document_list.hpp"

namespace mortise::token_tools {

namespace {

// Calls `each` for all of [0, n) in the order of `seed`.
void each_in_order(std::int64_t n, std::uint64_t seed,
                   const std::function<void(std::int64_t)>& each) {
  if (n < order::kSmallestFeistel) {
    for (const std::int64_t i : order::shuffled(n, seed)) each(i);
    return;
  }
  const order::FeistelPermutation permutation(n, seed);
  for (std::int64_t i = 0; i != n; ++i) each(permutation(i));
}

}  // namespace

DataShuffle::DataShuffle(const Config& config) : config_(config) {
  refuse_to_replace(packed_target(config_.out), config_.overwrite);
}

std::int64_t DataShuffle::run() {
  return write_packed("shuffling", config_, [&](const auto& inputs, auto& writer, Job& job) {
    const std::vector<DocumentPlace> documents = documents_of(inputs, config_.eod);
    each_in_order(std::int64_t(documents.size()), std::uint64_t(config_.seed), [&](std::int64_t i) {
      const DocumentPlace& place = documents[std::size_t(i)];
      copy_document(inputs[place.input], place.span, writer, job);
    });
    return Remark{};
  });
}

}  // namespace mortise::token_tools
