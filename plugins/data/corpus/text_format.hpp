#pragma once

// What the text of an input looks like.

#include <string>

namespace mortise::corpus {

enum class TextFormat {
  by_name,  // .jsonl and .ndjson, also compressed, and standard input: a document in each record
  jsonl,
  plain,  // a file is one document
};

// Whether each line of the file is a record.
bool is_jsonl(const std::string& path, TextFormat format = TextFormat::by_name);

// Errors: DataError for file types that hold no text that can be read, told by the name.
void refuse_other_types(const std::string& path);

}  // namespace mortise::corpus
