#include "data_shuffle.hpp"

#include <iostream>

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

DataShuffle::DataShuffle(const Config& config)
    : config_(config), target_(packed_target(config.out)) {
  refuse_to_replace(target_, config_.overwrite);
}

std::int64_t DataShuffle::run() {
  using Form = data_tools::Progress::Form;
  return run_job("shuffling", config_.json ? Form::json : Form::line, [&](Job& job) { work(job); });
}

void DataShuffle::work(Job& job) {
  const std::vector<Input> inputs = open_inputs(config_.inputs);
  job.begin(inputs);
  const pbin::SideFile facts = facts_of(inputs, config_.unknown_fits);
  const std::vector<DocumentPlace> documents = documents_of(inputs, config_.eod);
  target_.element = token_files::element_for(target_.format, vocabulary_of(inputs, facts));
  const auto writer = token_files::open_writer(target_);
  each_in_order(std::int64_t(documents.size()), std::uint64_t(config_.seed), [&](std::int64_t i) {
    const DocumentPlace& place = documents[std::size_t(i)];
    copy_document(inputs[place.input], place.span, *writer, job);
  });
  writer->finish(facts);
  writer->publish();
  const std::uint32_t width = bytes_of(target_.element);
  std::cout << (config_.json ? job.result({file_json(*writer, width)}) : summary(*writer, width))
            << std::endl;
}

}  // namespace mortise::token_tools
