#pragma once

// Command `data filter`: a packed file of the documents that keep to simple rules.

#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>
#include <optional>
#include <vector>

#include "job.hpp"
#include "output.hpp"

namespace mortise::token_tools {

class DataFilter final : public Command {
 public:
  struct Config {
    std::vector<std::string_view> inputs;
    std::string_view out;
    std::optional<std::int64_t> min_tokens, max_tokens, eod;
    bool unique = false, unknown_fits = false, overwrite = false, json = false;

    static constexpr auto settings() {
      return fields(
          field("inputs", &Config::inputs)
              .path()
              .single()
              .positional()
              .required()
              .doc("token files, in this order; patterns with * are allowed"),
          field("out", &Config::out)
              .path()
              .required()
              .short_name('o')
              .doc("the packed file, NAME.pbin"),
          field("min_tokens", &Config::min_tokens)
              .at_least(0)
              .unit("tokens")
              .doc("drop documents with fewer, their end counted"),
          field("max_tokens", &Config::max_tokens)
              .at_least(0)
              .unit("tokens")
              .doc("drop documents with more, their end counted"),
          field("unique", &Config::unique)
              .doc("drop documents of the same tokens as one before; 16 bytes of memory and more "
                   "each"),
          field("eod", &Config::eod)
              .at_least(0)
              .doc("id that ends a document, where neither an index nor a side file tells"),
          field("unknown_fits", &Config::unknown_fits)
              .doc("take files whose tokenizer is not known for files of the others' tokenizer"),
          field("overwrite", &Config::overwrite).doc("replace a file that is there"),
          field("json", &Config::json).doc("print the result as JSON"));
    }
  };

  explicit DataFilter(const Config& config);
  std::int64_t run() override;

 private:
  void work(Job& job);
  Config config_;
  token_files::Target target_;
};

}  // namespace mortise::token_tools
