// Tokenizers, data sets and sample orders of our own, held to the contracts of their kinds.

#include <doctest/doctest.h>

#include "plugins/data/pbin/pbin_writer.hpp"
#include "sdk/conformance/data/dataset_contract.hpp"
#include "sdk/conformance/data/sample_order_contract.hpp"
#include "sdk/conformance/data/tokenizer_contract.hpp"
#include "tests/contract/plugin_contract.hpp"
#include "tests/no_failures.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"
#include "tests/unit/tokenizers/sentencepiece_model.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;

std::string packed_file(const ScratchFolder& folder, const std::string& name) {
  pbin::PbinWriter writer(folder.path(name), 2, pbin::PartialFile::Busy::fail);
  std::uint32_t id = 0;
  for (const int size : {40, 1, 0, 300, 77}) {
    std::vector<std::uint32_t> ids;
    for (int i = 0; i != size; ++i) ids.push_back(id++ % 257);
    writer.add(ids);
    writer.end_document();
  }
  pbin::SideFile side;
  side.tokenizer_fingerprint = "byte/1";
  side.vocabulary_size = 257;
  writer.finish(side);
  writer.publish();
  return folder.path(name);
}

void check_dataset(const LoadedComponent& component, std::int64_t sequence_length) {
  Report report;
  check_both_ways<Dataset>(component, report, [&](const Dataset& data) {
    conformance::check_dataset_contract(data, report, {sequence_length});
  });
  check_no_failures(report);
}

}  // namespace

TEST_CASE("byte: keeps the contract of a tokenizer") {
  const LoadedComponent component("byte_tokenizer", "byte");
  Report report;
  check_both_ways<Tokenizer>(component, report, [&](const Tokenizer& t) {
    conformance::check_tokenizer_contract(t, report);
  });
  check_no_failures(report);
}

TEST_CASE("sentencepiece: keeps the contract of a tokenizer, with and without loss") {
  const ScratchFolder folder;
  const auto check = [](const std::string& file, bool restores_text) {
    const LoadedComponent component("sentencepiece", "sentencepiece", {{"file", file}});
    Report report;
    check_both_ways<Tokenizer>(component, report, [&](const Tokenizer& t) {
      conformance::check_tokenizer_contract(t, report, {.restores_text = restores_text});
    });
    check_no_failures(report);
  };
  check(folder.write("small.model", small_model(true)), true);
  const std::string models = MORTISE_SOURCE_DIR "/tests/tokenizers/models/";
  check(models + "botchan_en_bpe_1000.model", false);
  check(models + "botchan_en_unigram_1000.model", false);
}

TEST_CASE("tiktoken: keeps the contract of a tokenizer") {
  const ScratchFolder folder;
  const LoadedComponent component(
      "tiktoken", "tiktoken",
      {{"file", MORTISE_SOURCE_DIR "/tests/tokenizers/models/gpt2.tiktoken"}, {"pattern", "gpt2"}});
  Report report;
  check_both_ways<Tokenizer>(component, report, [&](const Tokenizer& t) {
    conformance::check_tokenizer_contract(t, report);
  });
  check_no_failures(report);
}

TEST_CASE("huggingface: keeps the contract of a tokenizer, where special tokens are text") {
  const std::string file = MORTISE_SOURCE_DIR "/tests/tokenizers/models/gpt2_tokenizer.json";
  const LoadedComponent component("huggingface", "huggingface",
                                  {{"file", file}, {"special_in_text", "text"}});
  Report report;
  check_both_ways<Tokenizer>(component, report, [&](const Tokenizer& t) {
    conformance::check_tokenizer_contract(t, report);
  });
  check_no_failures(report);
}

TEST_CASE("packed_tokens: keeps the contract of a data set, whole and in parts") {
  const ScratchFolder folder;
  const std::vector<std::string> files{packed_file(folder, "a.pbin"),
                                       packed_file(folder, "b.pbin")};
  for (const char* part : {"all", "train", "held_out"}) {
    CAPTURE(part);
    SettingList settings{{"files", files}, {"sequence_length", 16}, {"part", part}};
    if (std::string_view(part) != "all") settings.push_back({"hold_out", percent(30)});
    check_dataset(LoadedComponent("packed_tokens", "packed_tokens", settings), 16);
  }
}

TEST_CASE("packed_tokens: keeps the contract of a data set, however it is cut") {
  const ScratchFolder folder;
  const std::vector<std::string> files{packed_file(folder, "a.pbin")};
  for (const char* cut : {"stream", "documents"})
    for (const char* documents : {"joined", "isolated"})
      for (const bool share : {true, false}) {
        CAPTURE(cut);
        CAPTURE(documents);
        CAPTURE(share);
        check_dataset(LoadedComponent("packed_tokens", "packed_tokens",
                                      {{"files", files},
                                       {"sequence_length", 16},
                                       {"cut", cut},
                                       {"documents", documents},
                                       {"share_last_token", share}}),
                      16);
      }
}

TEST_CASE("mixture: keeps the contract of a data set") {
  const ScratchFolder folder;
  const auto part = [&](const std::string& name, const char* cut) {
    return LoadedComponent(
        "packed_tokens", "packed_tokens",
        {{"files", std::vector{packed_file(folder, name)}}, {"sequence_length", 16}, {"cut", cut}});
  };
  const LoadedComponent web = part("a.pbin", "stream"), code = part("b.pbin", "documents");
  check_dataset(LoadedComponent("mixture", "mixture",
                                {{"sources", NamedObjects{{"web", web.object<Dataset>()},
                                                          {"code", code.object<Dataset>()}}}}),
                16);
}

TEST_CASE("text: keeps the contract of a data set, from plain text and from JSONL") {
  const ScratchFolder folder;
  std::string plain, records;
  for (const conformance::SampleText& t : conformance::valid_texts())
    if (t.text.size() < 6000) plain += t.text;
  for (int i = 0; i != 50; ++i)
    records += "{\"text\":\"record " + std::to_string(i) + " \\u00fc \\ud83d\\ude00\"}\n";
  const std::vector<std::string> files{folder.write("a.txt", plain),
                                       folder.write("b.jsonl", records)};
  const LoadedComponent byte("byte_tokenizer", "byte");
  check_dataset(LoadedComponent("text", "text",
                                {{"files", files},
                                 {"tokenizer", byte.object<Tokenizer>()},
                                 {"sequence_length", 8},
                                 {"cache", folder.path("cache")}}),
                8);
}

TEST_CASE("keyed_permutation, sequential, block_permutation: keep the contract of a sample order") {
  for (const char* name : {"keyed_permutation", "sequential", "block_permutation"}) {
    CAPTURE(name);
    const LoadedComponent component(name, name, {}, {.seed = 1234});
    Report report;
    check_both_ways<SampleOrder>(component, report, [&](const SampleOrder& order) {
      conformance::check_sample_order_contract(order, report);
    });
    check_no_failures(report);
  }
}
