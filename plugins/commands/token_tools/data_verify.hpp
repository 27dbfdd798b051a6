#pragma once

// Command `data verify`: reads whole token files and holds them against their headers, indices and
// side files.

#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>
#include <optional>
#include <vector>

#include "job.hpp"

namespace mortise::token_tools {

class DataVerify final : public Command {
 public:
  struct Config {
    std::vector<std::string_view> inputs;
    Tokenizer* tokenizer = nullptr;
    std::optional<std::int64_t> vocabulary_size;
    bool json = false;

    static constexpr auto settings() {
      return fields(
          field("inputs", &Config::inputs)
              .path()
              .single()
              .positional()
              .required()
              .doc("token files; patterns with * are allowed"),
          field("tokenizer", &Config::tokenizer)
              .doc("must be the one of the side file; its vocabulary is the limit of ids"),
          field("vocabulary_size", &Config::vocabulary_size)
              .at_least(1)
              .doc("ids must be below; default: what the side file says"),
          field("json", &Config::json).doc("print a line of JSON for each file"));
    }
  };

  explicit DataVerify(const Config& config) : config_(config) {}
  std::int64_t run() override;

 private:
  struct Found {
    std::int64_t tokens = 0, documents = 0, largest = -1;
    bool has_checksum = false;
  };
  void work(Job& job);
  Found verify(const std::string& path, Job& job) const;
  void check_tokenizer(Input& input) const;
  std::string report(const std::string& path, const Found& found) const;

  Config config_;
  std::string wrong_;  // what all files are refused with
};

}  // namespace mortise::token_tools
