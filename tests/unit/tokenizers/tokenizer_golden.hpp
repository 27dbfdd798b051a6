#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace mortise::tests {

// What tests/golden/make_tokenizer_golden.py wrote.
inline const nlohmann::json& golden() {
  static const nlohmann::json all = [] {
    std::ifstream file(MORTISE_SOURCE_DIR "/tests/golden/tokenizers/huggingface.json");
    return nlohmann::json::parse(file);
  }();
  return all;
}

// The tokenizer.json of a case.
inline nlohmann::json tokenizer_json(const nlohmann::json& one) {
  nlohmann::json file{{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}};
  file["model"] = golden().at("models").at(one.at("model").get<std::string>());
  for (const char* key :
       {"added_tokens", "normalizer", "pre_tokenizer", "decoder", "post_processor"})
    if (one.contains(key)) file[key] = one.at(key);
  return file;
}

}  // namespace mortise::tests
