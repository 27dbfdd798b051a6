#pragma once

// One line of a JSONL file.

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "field_expression.hpp"

namespace mortise::corpus {

// What is wrong with a record, without its place and without its text.
class BadRecord : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class JsonlRecord {
 public:
  explicit JsonlRecord(FieldExpression field);
  ~JsonlRecord();

  // The text of a record, valid until the next call. Behind `line` TextBuffer::kPadding bytes are
  // readable.
  // Errors: BadRecord.
  std::string_view text_of(std::string_view line);

  // `line` with U+FFFD in place of what is no Unicode: broken UTF-8, and halves of surrogate pairs.
  // The same padding follows it.
  std::string_view repaired(std::string_view line);

 private:
  struct Parser;  // keeps simdjson.h out of this header
  FieldExpression field_;
  std::unique_ptr<Parser> parser_;
  std::string joined_, repaired_;
};

}  // namespace mortise::corpus
