#pragma once

// Makes text of tokens, by the steps of the section `decoder`.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "json.hpp"

namespace mortise::huggingface {

// Threads: immutable after construction.
class Decoder {
 public:
  // No section: tokens stand with a blank between them.
  // Errors: DataError for what the section asks for and we lack.
  explicit Decoder(const std::optional<Json>& section);

  // Errors: Error(failed) for a text that grows without end.
  std::string decode(std::vector<std::string> tokens) const;

 private:
  using Tokens = std::vector<std::string>;
  // `most`: bytes to which the text may grow.
  using Step = std::function<void(Tokens& tokens, std::size_t most)>;

  void add(const Json& section, int depth);
  void add_replace(const Json& section);
  void add_strip(const Json& section);
  void add_metaspace(const Json& section);

  bool joins_with_blanks_ = false;
  std::vector<Step> steps_;
};

}  // namespace mortise::huggingface
