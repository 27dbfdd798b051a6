#pragma once

// Command `data shuffle`: the documents of token files in an order that the seed alone gives.

#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>

#include "packed_copy.hpp"

namespace mortise::token_tools {

class DataShuffle final : public Command {
 public:
  struct Config : CopySettings {
    std::int64_t seed = 0;

    static constexpr auto settings() {
      return std::tuple_cat(
          file_fields<Config>("the packed file, NAME.pbin"),
          fields(field("seed", &Config::seed).at_least(0).doc("another number, another order")),
          copy_fields<Config>());
    }
  };

  explicit DataShuffle(const Config& config);
  std::int64_t run() override;

 private:
  Config config_;
};

}  // namespace mortise::token_tools
