#include "data_inspect.hpp"

#include <algorithm>
#include <iostream>

#include "../../data/corpus/input_files.hpp"
#include "id_blocks.hpp"

namespace mortise::token_tools {

namespace {

FileReport::Document first_tokens(const Input& input, token_files::TokenSpan span,
                                  std::int64_t most, const Tokenizer* tokenizer) {
  FileReport::Document document;
  document.tokens = span.size;
  span.size = std::min(span.size, most);
  document.ids.resize(std::size_t(span.size));
  input.file.read(span.first, span.size, document.ids.data());
  if (tokenizer == nullptr) return document;
  std::vector<std::uint32_t> ids;
  each_block(input, span, [&](std::span<const std::uint32_t> block) {
    ids.insert(ids.end(), block.begin(), block.end());
  });
  const std::int64_t vocabulary = tokenizer->vocabulary_size();
  for (const std::uint32_t id : ids)
    if (id >= vocabulary)
      throw DataError(input.file.path() + ": id " + std::to_string(id) +
                      ": the tokenizer has 0 to " + std::to_string(vocabulary - 1));
  document.text = tokenizer->decode(ids);
  return document;
}

}  // namespace

FileReport DataInspect::look_at(const std::string& path) const {
  const Input input(path);
  if (config_.tokenizer != nullptr) require_tokenizer(input, *config_.tokenizer);
  FileReport report;
  report.path = input.file.path();
  report.format = token_files::name_of(input.file.format());
  report.bytes_per_token = input.file.bytes_per_token();
  report.tokens = input.file.tokens();
  report.side = input.side;
  std::int64_t count = 0;
  each_document(input, std::nullopt, [&](token_files::TokenSpan span) {
    report.shortest = count == 0 ? span.size : std::min(report.shortest, span.size);
    report.longest = std::max(report.longest, span.size);
    if (count++ < config_.documents)
      report.first.push_back(first_tokens(input, span, config_.tokens, config_.tokenizer));
  });
  if (input.file.knows_documents() || input.side.end_of_document >= 0)
    report.documents = count;
  else
    report.shortest = report.longest = -1;
  return report;
}

std::int64_t DataInspect::run() {
  for (const std::string& path : corpus::expand(config_.inputs)) {
    const FileReport report = look_at(path);
    std::cout << (config_.json ? json_of(report) + "\n" : text_of(report)) << std::flush;
  }
  return 0;
}

}  // namespace mortise::token_tools
