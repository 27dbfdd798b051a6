#pragma once

// Command `data chunk`: the documents of token files in several packed files.

#include <memory>
#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>
#include <optional>
#include <vector>

#include "document_list.hpp"
#include "job.hpp"
#include "output.hpp"

namespace mortise::token_tools {

class DataChunk final : public Command {
 public:
  enum class By { tokens, documents };
  struct Config {
    std::vector<std::string_view> inputs;
    std::string_view out;
    std::int64_t parts = 0;
    By by = By::tokens;
    std::optional<std::int64_t> eod;
    bool unknown_fits = false, overwrite = false, json = false;

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
              .doc("NAME.pbin: the parts are called NAME.00001-of-00004.pbin …"),
          field("parts", &Config::parts).at_least(2).at_most(400).required().doc("how many"),
          field("by", &Config::by)
              .choice("tokens", By::tokens)
              .choice("documents", By::documents)
              .doc("what the parts have equally much of; documents stay whole and in order"),
          field("eod", &Config::eod)
              .at_least(0)
              .doc("id that ends a document, where neither an index nor a side file tells"),
          field("unknown_fits", &Config::unknown_fits)
              .doc("take files whose tokenizer is not known for files of the others' tokenizer"),
          field("overwrite", &Config::overwrite).doc("replace files that are there"),
          field("json", &Config::json).doc("print the result as JSON"));
    }
  };

  explicit DataChunk(const Config& config);
  std::int64_t run() override;

 private:
  void work(Job& job);
  token_files::Target target_of(std::int64_t part) const;
  // The document that each part begins with, and their number at the end.
  std::vector<std::size_t> begins(const std::vector<DocumentPlace>& documents) const;

  Config config_;
  token_files::Target whole_;
};

}  // namespace mortise::token_tools
