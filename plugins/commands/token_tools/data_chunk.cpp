#include "data_chunk.hpp"

#include <cstdio>
#include <iostream>

#include "../data_tools/plural.hpp"
#include "../data_tools/written_file.hpp"
#include "copy_document.hpp"

namespace mortise::token_tools {

namespace {

// Documents go to the part in whose share of the tokens they begin.
std::vector<std::size_t> begins_by_tokens(const std::vector<DocumentPlace>& documents,
                                          std::int64_t parts) {
  std::int64_t total = 0, before = 0;
  for (const DocumentPlace& place : documents) total += place.span.size;
  std::vector<std::size_t> begins{0};
  for (std::size_t i = 0; i != documents.size(); before += documents[i++].span.size)
    while (std::int64_t(begins.size()) < parts &&
           before * parts >= total * std::int64_t(begins.size()))
      begins.push_back(i);
  return begins;
}

// n documents: the first n mod parts have one more than the others.
std::vector<std::size_t> begins_by_documents(std::size_t n, std::size_t parts) {
  std::vector<std::size_t> begins;
  for (std::size_t p = 0; p != parts; ++p)
    begins.push_back(p * (n / parts) + std::min(p, n % parts));
  return begins;
}

}  // namespace

DataChunk::DataChunk(const Config& config) : config_(config), whole_(packed_target(config.out)) {
  for (std::int64_t part = 0; part != config_.parts; ++part)
    refuse_to_replace(target_of(part), config_.overwrite);
}

token_files::Target DataChunk::target_of(std::int64_t part) const {
  char name[64];
  std::snprintf(name, sizeof name, ".%05d-of-%05d.pbin", int(part + 1), int(config_.parts));
  token_files::Target target = whole_;
  target.path.replace(target.path.size() - 5, 5, name);
  return target;
}

std::vector<std::size_t> DataChunk::begins(const std::vector<DocumentPlace>& documents) const {
  std::vector<std::size_t> all =
      config_.by == By::tokens ? begins_by_tokens(documents, config_.parts)
                               : begins_by_documents(documents.size(), std::size_t(config_.parts));
  all.resize(std::size_t(config_.parts) + 1, documents.size());
  for (std::size_t p = 0; p + 1 != all.size(); ++p)
    if (all[p] == all[p + 1])
      throw DataError("part " + std::to_string(p + 1) + " of " + std::to_string(config_.parts) +
                      " would be empty: there are " +
                      data_tools::plural(std::int64_t(documents.size()), "document") +
                      ", which stay whole: ask for fewer parts");
  return all;
}

std::int64_t DataChunk::run() {
  return run_job("chunking", config_.json, [&](Job& job) { work(job); });
}

void DataChunk::work(Job& job) {
  const std::vector<Input> inputs = open_sources(config_);
  job.begin(inputs);
  const pbin::SideFile facts = facts_of(inputs, config_.unknown_fits);
  const std::vector<DocumentPlace> documents = documents_of(inputs, config_.eod);
  const std::vector<std::size_t> begin = begins(documents);
  const auto element = token_files::element_for(whole_.format, vocabulary_of(inputs, facts));
  std::vector<std::unique_ptr<token_files::TokenWriter>> writers;
  for (std::size_t p = 0; p + 1 != begin.size(); ++p) {
    token_files::Target target = target_of(std::int64_t(p));
    target.element = element;
    writers.push_back(token_files::open_writer(target));
    for (std::size_t d = begin[p]; d != begin[p + 1]; ++d)
      copy_document(inputs[documents[d].input], documents[d].span, *writers.back(), job);
    writers.back()->finish(facts);
  }
  std::vector<std::string> files;
  for (const auto& writer : writers) {
    writer->publish();
    files.push_back(config_.json ? data_tools::written_json(*writer, bytes_of(element))
                                 : data_tools::written_text(*writer, bytes_of(element)));
  }
  if (config_.json) files = {job.result(files)};
  for (const std::string& line : files) std::cout << line << std::endl;
}

}  // namespace mortise::token_tools
