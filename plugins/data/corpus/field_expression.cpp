#include "field_expression.hpp"

#include <simdjson.h>

#include <mortise/error.hpp>

namespace mortise::corpus {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  FieldExpression expression() {
    FieldExpression expression;
    expression.parts.push_back(part());
    for (skip_spaces(); at_ != text_.size(); skip_spaces()) {
      if (!take('+')) fail("expected + or the end");
      expression.parts.push_back(part());
    }
    return expression;
  }

 private:
  FieldExpression::Part part() {
    skip_spaces();
    FieldExpression::Part part;
    if (next_is('"'))
      part.literal = quoted();
    else if (next_is('.'))
      while (take('.')) part.path.push_back(next_is('"') ? quoted() : key());
    else
      fail("expected a path such as .text or a text in double quotes");
    return part;
  }

  std::string key() {
    const std::size_t end = std::min(text_.find_first_of(".+ \t\"[]|", at_), text_.size());
    if (end == at_) fail("expected a key; other characters than letters stand in quotes: .\"a b\"");
    std::string key(text_.substr(at_, end - at_));
    at_ = end;
    return key;
  }

  // A text in quotes as JSON has it.
  std::string quoted() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    simdjson::dom::parser json;
    std::string_view value;
    if (end >= text_.size() ||
        json.parse(std::string(text_.substr(at_, end + 1 - at_))).get(value) != simdjson::SUCCESS)
      fail("expected a text in quotes as JSON has it");
    at_ = end + 1;
    return std::string(value);
  }

  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c) {
    const bool there = next_is(c);
    at_ += there;
    return there;
  }
  void skip_spaces() {
    while (next_is(' ') || next_is('\t')) ++at_;
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw ConfigError("field: column " + std::to_string(at_ + 1) + " of '" + std::string(text_) +
                      "': " + expected);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

FieldExpression field_expression(std::string_view text) {
  if (text.empty()) throw ConfigError("field: expected a key or a path, got nothing");
  const std::size_t first = text.find_first_not_of(" \t");
  if (first != std::string_view::npos && (text[first] == '.' || text[first] == '"'))
    return Parser(text).expression();
  return {{{{std::string(text)}, {}}}};
}

}  // namespace mortise::corpus
