#pragma once

// What the commands share that copy documents of token files into packed files: their settings,
// and the frame of the work.

#include <functional>
#include <mortise/settings.hpp>
#include <optional>
#include <string>
#include <vector>

#include "job.hpp"
#include "output.hpp"

namespace mortise::token_tools {

struct CopySettings {
  std::vector<std::string_view> inputs;
  std::string_view out;
  std::optional<std::int64_t> eod;
  bool unknown_fits = false, overwrite = false, json = false;
};

// For a Config that is derived from CopySettings: what stands before its own settings …
template <class Config>
constexpr auto file_fields(const char* out) {
  return fields(field<Config, std::vector<std::string_view>>("inputs", &Config::inputs)
                    .path()
                    .single()
                    .positional()
                    .required()
                    .doc("token files; patterns with * are allowed"),
                field<Config, std::string_view>("out", &Config::out)
                    .path()
                    .required()
                    .short_name('o')
                    .doc(out));
}
// … and after them.
template <class Config>
constexpr auto copy_fields() {
  return fields(
      field<Config, std::optional<std::int64_t>>("eod", &Config::eod)
          .at_least(0)
          .doc("id that ends a document, where neither an index nor a side file tells"),
      field<Config, bool>("unknown_fits", &Config::unknown_fits)
          .doc("take files whose tokenizer is not known for files of the others' tokenizer"),
      field<Config, bool>("overwrite", &Config::overwrite).doc("replace files that are there"),
      field<Config, bool>("json", &Config::json).doc("print the result as JSON"));
}

// The files to copy from.
// Errors: those of open_inputs(), and DataError for documents of several sequences, whose ends a
//         packed file cannot carry.
std::vector<Input> open_sources(const CopySettings& settings);

// What a command adds to the report on its file: after the text, and as further members.
struct Remark {
  std::string text, json;
};
using Fill = std::function<Remark(const std::vector<Input>& inputs,
                                  token_files::TokenWriter& writer, Job& job)>;

// Runs a command that writes one packed file: `fill` adds the documents. Returns the exit code.
std::int64_t write_packed(std::string_view verb, const CopySettings& settings, const Fill& fill);

}  // namespace mortise::token_tools
