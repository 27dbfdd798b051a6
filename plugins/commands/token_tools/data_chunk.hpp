#pragma once

// Command `data chunk`: the documents of token files in several packed files.

#include <memory>
#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>
#include <vector>

#include "document_list.hpp"
#include "packed_copy.hpp"

namespace mortise::token_tools {

class DataChunk final : public Command {
 public:
  enum class By { tokens, documents };
  struct Config : CopySettings {
    std::int64_t parts = 0;
    By by = By::tokens;

    static constexpr auto settings() {
      return std::tuple_cat(
          file_fields<Config>("NAME.pbin: the parts are called NAME.00001-of-00004.pbin …"),
          fields(
              field("parts", &Config::parts).between(2, 400).required().doc("how many"),
              field("by", &Config::by)
                  .choice("tokens", By::tokens)
                  .choice("documents", By::documents)
                  .doc("what the parts have equally much of; documents stay whole and in order")),
          copy_fields<Config>());
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
