#include "data_verify.hpp"

#include <algorithm>
#include <iostream>

#include "../../data/corpus/input_files.hpp"
#include "../../data/encoding/json_text.hpp"
#include "../../data/pbin/checksum.hpp"
#include "../data_tools/plural.hpp"
#include "id_blocks.hpp"
#include "output.hpp"

namespace mortise::token_tools {

namespace {

constexpr std::int64_t kBad = 4;  // exit code of wrong data

void check_checksum(const Input& input) {
  if (input.side.checksum.empty()) return;
  pbin::Checksum sum;
  sum.add(input.file.token_bytes());
  if (sum.hex64() != input.side.checksum)
    throw DataError(input.file.path() + ": its tokens have checksum " + sum.hex64() + ", " +
                    pbin::side_path(input.file.path()) + " says " + input.side.checksum +
                    ": they were changed after the file was written; get it from its source again");
}

// `said`: by the side file; -1: nothing.
void check_count(const Input& input, const char* what, std::int64_t found, std::int64_t said) {
  if (said >= 0 && said != found)
    throw DataError(input.file.path() + ": " + what + " " + std::to_string(found) + ", " +
                    pbin::side_path(input.file.path()) + " says " + std::to_string(said));
}

}  // namespace

void DataVerify::check_tokenizer(Input& input) const {
  if (config_.tokenizer != nullptr) {
    require_tokenizer(input, *config_.tokenizer);
    input.side.vocabulary_size = config_.tokenizer->vocabulary_size();
  }
  if (config_.vocabulary_size) input.side.vocabulary_size = *config_.vocabulary_size;
}

DataVerify::Found DataVerify::verify(const std::string& path, Job& job) const {
  Input input(path);
  check_tokenizer(input);
  Found found{input.file.tokens(), 0, -1, !input.side.checksum.empty()};
  check_checksum(input);
  each_document(input, std::nullopt, [&](token_files::TokenSpan) { ++found.documents; });
  each_block(input, {0, found.tokens}, [&](std::span<const std::uint32_t> ids) {
    job.passed(input, ids.size());
    found.largest =
        std::max<std::int64_t>(found.largest, *std::max_element(ids.begin(), ids.end()));
  });
  check_count(input, "documents", found.documents, input.side.documents);
  check_count(input, "the largest id is", found.largest, input.side.largest_token);
  return found;
}

std::string DataVerify::report(const std::string& path, const Found& found) const {
  if (config_.json)
    return "{\"file\":" + encoding::json_string(path) +
           ",\"ok\":true,\"tokens\":" + std::to_string(found.tokens) +
           ",\"documents\":" + std::to_string(found.documents) +
           ",\"largest_token\":" + std::to_string(found.largest) +
           ",\"checksum\":" + (found.has_checksum ? "true" : "null") + "}";
  return path + ": ok, " + data_tools::plural(found.documents, "document") + ", " +
         data_tools::plural(found.tokens, "token") + ", largest id " +
         std::to_string(found.largest) +
         (found.has_checksum ? ", checksum as written" : ", no checksum to compare");
}

void DataVerify::work(Job& job) {
  for (const std::string& path : corpus::expand(config_.inputs)) {
    try {
      std::cout << report(path, verify(path, job)) << std::endl;
    } catch (const DataError& e) {
      wrong_ += (wrong_.empty() ? "" : "\n") + std::string(e.what());
      if (config_.json)
        std::cout << "{\"file\":" << encoding::json_string(path)
                  << ",\"ok\":false,\"error\":" << encoding::json_string(e.what()) << "}"
                  << std::endl;
    }
  }
}

std::int64_t DataVerify::run() {
  const std::int64_t interrupted = run_job("verifying", false, [&](Job& job) { work(job); });
  if (interrupted != 0) return interrupted;
  if (wrong_.empty()) return 0;
  if (config_.json) return kBad;
  throw DataError(wrong_);
}

}  // namespace mortise::token_tools
