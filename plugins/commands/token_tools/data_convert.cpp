#include "data_convert.hpp"

#include <iostream>

#include "../data_tools/written_file.hpp"
#include "document_ends.hpp"
#include "id_blocks.hpp"

namespace mortise::token_tools {

using token_files::Element;
using token_files::Format;
using token_files::Target;

namespace {

using Into = DataConvert::Into;

Format format_of(Into into, std::string_view out) {
  const bool bin = out.ends_with(".bin"), idx = out.ends_with(".idx");
  const auto need = [&](bool fits, const char* ending, Format format) {
    if (!fits)
      throw ConfigError("out: " + std::string(out) + " would not be read as " +
                        token_files::name_of(format) + ": expected a name that ends in " + ending);
    return format;
  };
  switch (into) {
    case Into::pbin:
      return need(out.ends_with(".pbin"), ".pbin", Format::pbin);
    case Into::npy:
      return need(out.ends_with(".npy"), ".npy", Format::npy);
    case Into::megatron:
      return need(bin || idx, ".bin or .idx", Format::megatron);
    case Into::llm_c:
      return need(bin, ".bin", Format::llm_c);
    case Into::plain:
      return need(bin, ".bin", Format::plain);
    case Into::by_name:
      break;
  }
  if (out.ends_with(".pbin")) return Format::pbin;
  if (out.ends_with(".npy")) return Format::npy;
  if (idx) return Format::megatron;
  if (bin)
    throw ConfigError("out: several formats end in .bin: add --format megatron, llm_c or nanogpt");
  throw ConfigError("out: expected a name that ends in .pbin, .npy, .idx or .bin, got " +
                    std::string(out));
}

Target target_of(const DataConvert::Config& config) {
  Target target{std::string(config.out), format_of(config.format, config.out), Element::u16};
  if (config.out.ends_with(".idx")) target.path.replace(target.path.size() - 3, 3, "bin");
  return target;
}

bool has_element(Format format, std::int64_t width) {
  if (format == Format::plain) return width == 2;
  if (format == Format::llm_c) return width == 2 || width == 4;
  return width == 1 || width == 2 || width == 4;
}

bool carries_documents(Format format) {
  return format == Format::pbin || format == Format::megatron;
}

}  // namespace

DataConvert::DataConvert(const Config& config) : config_(config), target_(target_of(config)) {
  if (config_.width && !has_element(target_.format, *config_.width))
    throw ConfigError("width: " + std::string(token_files::name_of(target_.format)) +
                      " has no tokens of " + std::to_string(*config_.width) + " bytes");
  refuse_to_replace(target_, config_.overwrite);
}

Element DataConvert::element(const std::vector<Input>& inputs, const pbin::SideFile& facts) const {
  if (!config_.width) return token_files::element_for(target_.format, vocabulary_of(inputs, facts));
  if (target_.format == Format::megatron && *config_.width == 4) return Element::i32;
  return token_files::unsigned_element(std::uint32_t(*config_.width));
}

std::int64_t DataConvert::run() {
  return run_job("converting", config_.json, [&](Job& job) { work(job); });
}

void DataConvert::work(Job& job) {
  std::vector<Input> inputs;
  inputs.emplace_back(std::string(config_.input));
  const Input& input = inputs.front();
  job.begin(inputs);
  pbin::SideFile facts = facts_of(inputs, false);
  facts.end_of_document = end_of_document(input, config_.eod);
  target_.element = element(inputs, facts);
  const auto writer = token_files::open_writer(target_);
  copy(input, *writer, job);
  writer->finish(facts);
  writer->publish();
  const std::uint32_t width = bytes_of(target_.element);
  std::cout << (config_.json ? job.result({data_tools::written_json(*writer, width)})
                             : data_tools::written_text(*writer, width))
            << std::endl;
}

void DataConvert::copy(const Input& input, token_files::TokenWriter& writer, Job& job) const {
  if (input.file.has_split_documents() && !config_.drop_boundaries)
    throw DataError(input.file.path() +
                    ": its documents have several sequences, whose ends no other file can carry: "
                    "--drop-boundaries makes one of each document");
  const bool check = !carries_documents(target_.format) && !config_.drop_boundaries;
  DocumentEnds ends(end_of_document(input, config_.eod), input.file.path());
  each_document(input, config_.eod, [&](token_files::TokenSpan span) {
    if (check) ends.begin();
    each_block(input, span, [&](std::span<const std::uint32_t> ids) {
      if (check) ends.add(ids);
      writer.add(ids);
      job.passed(input, ids.size());
    });
    if (check) ends.end();
    writer.end_document();
    job.end_document();
  });
}

}  // namespace mortise::token_tools
