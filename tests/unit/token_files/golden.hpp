#pragma once

// The documents of tests/golden/token_files, in whatever format.

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/data/token_files/token_file.hpp"

namespace mortise::tests {

using Tokens = std::vector<std::int64_t>;

inline std::string golden(const std::string& name) {
  return MORTISE_SOURCE_DIR "/tests/golden/token_files/" + name;
}

inline std::vector<Tokens> golden_documents() {
  Tokens last(300, 99);
  last.push_back(256);
  return {{97, 97, 256}, {98, 256}, {256}, last};
}

inline Tokens joined(const std::vector<Tokens>& documents) {
  Tokens all;
  for (const Tokens& d : documents) all.insert(all.end(), d.begin(), d.end());
  return all;
}

inline Tokens tokens_of(const token_files::TokenFile& file, token_files::TokenSpan span) {
  Tokens all(std::size_t(span.size));
  file.read(span.first, span.size, all.data());
  return all;
}

inline std::vector<Tokens> documents_of(const token_files::TokenFile& file) {
  std::vector<Tokens> all;
  for (const auto& span : file.documents()) all.push_back(tokens_of(file, span));
  return all;
}

}  // namespace mortise::tests
