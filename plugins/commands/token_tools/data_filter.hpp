#pragma once

// Command `data filter`: a packed file of the documents that keep to simple rules.

#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>

#include "packed_copy.hpp"

namespace mortise::token_tools {

class DataFilter final : public Command {
 public:
  struct Config : CopySettings {
    std::optional<std::int64_t> min_tokens, max_tokens;
    bool unique = false;

    static constexpr auto settings() {
      return std::tuple_cat(
          file_fields<Config>("the packed file, NAME.pbin"),
          fields(field("min_tokens", &Config::min_tokens)
                     .at_least(0)
                     .unit("tokens")
                     .doc("drop documents with fewer, their end counted"),
                 field("max_tokens", &Config::max_tokens)
                     .at_least(0)
                     .unit("tokens")
                     .doc("drop documents with more, their end counted"),
                 field("unique", &Config::unique)
                     .doc("drop documents of the same tokens as one before; 16 bytes of memory "
                          "and more each")),
          copy_fields<Config>());
    }
  };

  explicit DataFilter(const Config& config);
  std::int64_t run() override;

 private:
  Config config_;
};

}  // namespace mortise::token_tools
