#pragma once

// Command `data merge`: several token files become one packed file.

#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>

#include "packed_copy.hpp"

namespace mortise::token_tools {

class DataMerge final : public Command {
 public:
  struct Config : CopySettings {
    static constexpr auto settings() {
      return std::tuple_cat(file_fields<Config>("the packed file, NAME.pbin"),
                            copy_fields<Config>());
    }
  };

  explicit DataMerge(const Config& config);
  std::int64_t run() override;

 private:
  Config config_;
};

}  // namespace mortise::token_tools
