#pragma once

// Command `data inspect`: what is in token files.

#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>
#include <vector>

#include "file_report.hpp"

namespace mortise::token_tools {

class DataInspect final : public Command {
 public:
  struct Config {
    std::vector<std::string_view> inputs;
    Tokenizer* tokenizer = nullptr;
    std::int64_t documents = 3, tokens = 16;
    bool json = false;

    static constexpr auto settings() {
      return fields(
          field("inputs", &Config::inputs)
              .path()
              .single()
              .positional()
              .required()
              .doc("token files; patterns with * are allowed"),
          field("tokenizer", &Config::tokenizer).doc("shows the text of documents as well"),
          field("documents", &Config::documents).at_least(0).at_most(1000).doc("how many to show"),
          field("tokens", &Config::tokens)
              .at_least(1)
              .at_most(100000)
              .doc("how many to show of each document"),
          field("json", &Config::json).doc("print a line of JSON for each file"));
    }
  };

  explicit DataInspect(const Config& config) : config_(config) {}
  std::int64_t run() override;

 private:
  FileReport look_at(const std::string& path) const;

  Config config_;
};

}  // namespace mortise::token_tools
