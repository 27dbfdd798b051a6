#include "data_decode.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <mortise/error.hpp>
#include <string>

#include "../../data/encoding/json_text.hpp"
#include "whole_input.hpp"

namespace mortise::data_tools {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kMostShown = 40;

std::uint32_t id_of(std::string_view word, std::size_t place, std::int64_t vocabulary) {
  std::uint32_t id = 0;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, id);
  if (read.ec == std::errc() && read.ptr == end && id < vocabulary) return id;
  throw DataError("id " + std::to_string(place) + " is `" +
                  std::string(word.substr(0, kMostShown)) + "`: expected a number from 0 to " +
                  std::to_string(vocabulary - 1) + ", the ids of this tokenizer");
}

}  // namespace

std::vector<std::uint32_t> DataDecode::ids() const {
  std::string words;
  for (const std::string_view word : config_.ids) {
    if (!words.empty()) words += ' ';
    words += word;
  }
  const auto given = config_.ids.empty() ? std::nullopt : std::optional<std::string_view>(words);
  const std::string text = whole_input(given, config_.file, "ids");
  const std::int64_t vocabulary = config_.tokenizer->vocabulary_size();
  std::vector<std::uint32_t> ids;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    ids.push_back(id_of(std::string_view(text).substr(at, end - at), ids.size() + 1, vocabulary));
    at = text.find_first_not_of(kBlanks, end);
  }
  return ids;
}

std::int64_t DataDecode::run() {
  const std::string text = config_.tokenizer->decode(ids());
  if (config_.json)
    std::cout << "{\"text\": " << encoding::json_string(text) << "}" << std::endl;
  else
    std::cout << text << (::isatty(STDOUT_FILENO) == 1 ? "\n" : "") << std::flush;
  return 0;
}

}  // namespace mortise::data_tools
