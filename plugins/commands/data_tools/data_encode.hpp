#pragma once

// Command `data encode`: the ids of a text.

#include <mortise/data/tokenizer.hpp>
#include <mortise/run/command.hpp>
#include <mortise/settings.hpp>
#include <optional>
#include <string_view>

namespace mortise::data_tools {

class DataEncode final : public Command {
 public:
  struct Config {
    std::optional<std::string_view> text;
    Tokenizer* tokenizer = nullptr;
    std::optional<std::string_view> file;
    bool json = false;

    static constexpr auto settings() {
      return fields(
          field("text", &Config::text).positional().doc("the text, or - for standard input"),
          field("tokenizer", &Config::tokenizer)
              .required()
              .doc("makes tokens of the text: a name, a file, a folder or a run file"),
          field("file", &Config::file).path().doc("a file whose bytes are the text"),
          field("json", &Config::json).doc("print {\"ids\": […]}, for programs"));
    }
  };

  explicit DataEncode(const Config& config) : config_(config) {}

  std::int64_t run() override;

 private:
  Config config_;
};

}  // namespace mortise::data_tools
