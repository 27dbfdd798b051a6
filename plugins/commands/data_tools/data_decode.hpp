#pragma once

// Command `data decode`: the text of ids.

#include <mortise/data/tokenizer.hpp>
#include <mortise/run/command.hpp>
#include <mortise/settings.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace mortise::data_tools {

class DataDecode final : public Command {
 public:
  struct Config {
    std::vector<std::string_view> ids;
    Tokenizer* tokenizer = nullptr;
    std::optional<std::string_view> file;
    bool json = false;

    static constexpr auto settings() {
      return fields(
          field("ids", &Config::ids)
              .single()
              .positional()
              .doc("ids with blanks between them, or - for standard input"),
          field("tokenizer", &Config::tokenizer)
              .required()
              .doc("made the ids: a name, a file, a folder or a run file"),
          field("file", &Config::file).path().doc("a file of ids, as data encode prints them"),
          field("json", &Config::json).doc("print {\"text\": …}, for programs"));
    }
  };

  explicit DataDecode(const Config& config) : config_(config) {}

  // Writes the bytes of the text alone, so that they can be compared; a terminal gets a line end
  // too.
  std::int64_t run() override;

 private:
  std::vector<std::uint32_t> ids() const;

  Config config_;
};

}  // namespace mortise::data_tools
