#pragma once

// Which text of a record is taken: `.text`, `.meta.body`, `.title + "\n" + .body`.

#include <string>
#include <string_view>
#include <vector>

namespace mortise::corpus {

struct FieldExpression {
  struct Part {
    std::vector<std::string> path;  // keys from the record inwards; empty: `literal` is meant
    std::string literal;
  };
  std::vector<Part> parts;  // joined in this order
};

// A text that begins neither with a dot nor with a quote is one key, whatever it consists of.
// Errors: ConfigError naming the column.
FieldExpression field_expression(std::string_view text);

}  // namespace mortise::corpus
