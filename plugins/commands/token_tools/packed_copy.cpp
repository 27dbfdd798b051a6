#include "packed_copy.hpp"

#include <iostream>
#include <mortise/error.hpp>

#include "../data_tools/written_file.hpp"

namespace mortise::token_tools {

std::vector<Input> open_sources(const CopySettings& settings) {
  std::vector<Input> inputs = open_inputs(settings.inputs);
  for (const Input& input : inputs)
    if (input.file.has_split_documents())
      throw DataError(input.file.path() +
                      ": its documents have several sequences, whose ends a packed file cannot "
                      "carry: data convert --drop-boundaries makes one of each document");
  return inputs;
}

std::int64_t write_packed(std::string_view verb, const CopySettings& settings, const Fill& fill) {
  return run_job(verb, settings.json, [&](Job& job) {
    const std::vector<Input> inputs = open_sources(settings);
    job.begin(inputs);
    const pbin::SideFile facts = facts_of(inputs, settings.unknown_fits);
    token_files::Target target = packed_target(settings.out);
    target.element = token_files::element_for(target.format, vocabulary_of(inputs, facts));
    const auto writer = token_files::open_writer(target);
    const Remark remark = fill(inputs, *writer, job);
    writer->finish(facts);
    writer->publish();
    const std::uint32_t width = bytes_of(target.element);
    std::cout << (settings.json
                      ? job.result({data_tools::written_json(*writer, width)}, remark.json)
                      : data_tools::written_text(*writer, width) + remark.text)
              << std::endl;
  });
}

}  // namespace mortise::token_tools
