#pragma once

// Command `data shuffle`: the documents of token files in an order that the seed alone gives.

#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>
#include <optional>
#include <vector>

#include "job.hpp"
#include "output.hpp"

namespace mortise::token_tools {

class DataShuffle final : public Command {
 public:
  struct Config {
    std::vector<std::string_view> inputs;
    std::string_view out;
    std::optional<std::int64_t> eod;
    std::int64_t seed = 0;
    bool unknown_fits = false, overwrite = false, json = false;

    static constexpr auto settings() {
      return fields(
          field("inputs", &Config::inputs)
              .path()
              .single()
              .positional()
              .required()
              .doc("token files; patterns with * are allowed"),
          field("out", &Config::out)
              .path()
              .required()
              .short_name('o')
              .doc("the packed file, NAME.pbin"),
          field("eod", &Config::eod)
              .at_least(0)
              .doc("id that ends a document, where neither an index nor a side file tells"),
          field("unknown_fits", &Config::unknown_fits)
              .doc("take files whose tokenizer is not known for files of the others' tokenizer"),
          field("seed", &Config::seed).at_least(0).doc("another number, another order"),
          field("overwrite", &Config::overwrite).doc("replace a file that is there"),
          field("json", &Config::json).doc("print the result as JSON"));
    }
  };

  explicit DataShuffle(const Config& config);
  std::int64_t run() override;

 private:
  void work(Job& job);
  Config config_;
  token_files::Target target_;
};

}  // namespace mortise::token_tools
