#pragma once

// The texts of llama.cpp's ggml-vocab-NAME.gguf.inp, and lists of ids, one a line, in the order of
// the texts.

#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace mortise::tests {

inline const std::string kVectors = MORTISE_SOURCE_DIR "/tests/tokenizers/vectors/";

inline std::vector<std::string> vector_texts(const std::string& name) {
  std::ifstream file(kVectors + "ggml-vocab-" + name + ".gguf.inp", std::ios::binary);
  std::string all{std::istreambuf_iterator<char>(file), {}};
  const std::string between = "\n__ggml_vocab_test__\n";
  std::vector<std::string> texts;
  for (std::size_t at; (at = all.find(between)) != std::string::npos;
       all.erase(0, at + between.size()))
    texts.push_back(all.substr(0, at));
  if (!all.empty()) texts.push_back(all);
  return texts;
}

inline std::vector<std::vector<std::uint32_t>> lists_of_ids(const std::string& file) {
  std::ifstream lines(kVectors + file);
  std::vector<std::vector<std::uint32_t>> all;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    all.emplace_back(std::istream_iterator<std::uint32_t>(words),
                     std::istream_iterator<std::uint32_t>());
  }
  return all;
}

}  // namespace mortise::tests
