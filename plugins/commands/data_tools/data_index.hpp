#pragma once

// Command `data index`: where each record of a JSONL file lies, as a file that Modalities reads.

#include <cstdint>
#include <functional>
#include <memory>
#include <mortise/run/command.hpp>
#include <mortise/settings.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "../../data/corpus/line_index.hpp"
#include "progress.hpp"

namespace mortise::data_tools {

class DataIndex final : public Command {
 public:
  struct Config {
    std::string_view input;
    std::optional<std::string_view> out;
    std::int64_t workers = 0;
    bool overwrite = false;
    bool json = false;

    static constexpr auto settings() {
      return fields(
          field("input", &Config::input)
              .path()
              .positional()
              .required()
              .doc("JSONL file, not compressed: the index counts its bytes"),
          field("out", &Config::out)
              .path()
              .short_name('o')
              .doc("the index; default: the name of the input, ending in .idx"),
          field("workers", &Config::workers)
              .between(0, 1024)
              .doc("threads that look for ends of lines; 0: one for each core; the result is the "
                   "same"),
          field("overwrite", &Config::overwrite).doc("replace an index that is there"),
          field("json", &Config::json)
              .doc("print progress and result as JSON lines, for programs"));
    }
  };

  explicit DataIndex(const Config& config);

  std::int64_t run() override;

 private:
  bool index(const std::function<void(const pbin::IndexEntry&)>& take);
  void count(const corpus::LineIndex& part);
  void tell() const;

  Config config_;
  std::string in_, out_;
  std::unique_ptr<Progress> progress_;
  Work work_;  // documents are records
  std::int64_t blank_lines_ = 0;
  std::uint64_t longest_ = 0;
};

}  // namespace mortise::data_tools
