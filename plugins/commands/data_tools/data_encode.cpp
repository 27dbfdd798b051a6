#include "data_encode.hpp"

#include <charconv>
#include <iostream>
#include <string>

#include "whole_input.hpp"

namespace mortise::data_tools {

namespace {

std::string joined(const std::vector<std::uint32_t>& ids, std::string_view between) {
  std::string text;
  for (const std::uint32_t id : ids) {
    char digits[16];
    if (!text.empty()) text += between;
    text.append(digits, std::to_chars(digits, digits + sizeof digits, id).ptr);
  }
  return text;
}

}  // namespace

std::int64_t DataEncode::run() {
  const std::string text = whole_input(config_.text, config_.file, "a text");
  const std::vector<std::uint32_t> ids = config_.tokenizer->encode(text);
  if (config_.json)
    std::cout << "{\"ids\": [" << joined(ids, ", ") << "]}" << std::endl;
  else
    std::cout << joined(ids, " ") << std::endl;
  return 0;
}

}  // namespace mortise::data_tools
