#pragma once

// One line of a JSONL file.

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mortise::corpus {

// What is wrong with a record, without its place and without its text.
class BadRecord : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class JsonlRecord {
 public:
  // `field`: the key of the text.
  explicit JsonlRecord(std::string_view field);
  ~JsonlRecord();

  // The text of a record, valid until the next call.
  // Errors: BadRecord.
  std::string_view text_of(std::string_view line);

 private:
  struct Parser;  // keeps simdjson.h out of this header
  std::string field_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace mortise::corpus
