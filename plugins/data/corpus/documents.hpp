#pragma once

// The documents of a text file. A file that ends in .jsonl holds one in each record; any other file
// is one document, unless it is empty.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "../pbin/mapped_file.hpp"

namespace mortise::corpus {

struct DocumentCount {
  std::int64_t documents = 0, blank_lines = 0;
};

bool is_jsonl(std::string_view path);

// Calls `take` with each document of `file` in order; a text is lent for the call. `field`: the key
// of the text in a JSONL record.
// Errors: DataError naming file and line, and for file types that hold no plain text.
DocumentCount for_each_document(const pbin::MappedFile& file, std::string_view field,
                                const std::function<void(std::string_view text)>& take);

}  // namespace mortise::corpus
