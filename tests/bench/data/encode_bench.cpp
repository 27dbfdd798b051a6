// Encodes the documents of a JSONL file, as a child of encode.py.
//
// usage: encode_bench PLUGIN COMPONENT SETTING VALUE FILE.jsonl
//
// Reads a line from standard input for each thing to do, and answers with a line:
//   time        encodes all documents one by one: seconds, number of ids
//   ids PATH    writes the ids of each document: uint32 LE count, then the ids
//   fresh       forgets all words: makes the tokenizer anew
// The texts are prepared before the first line is read.

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <mortise/data/tokenizer.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/loaded_component.hpp"

using namespace mortise::tests;

namespace {

std::vector<std::string> documents(const std::string& path) {
  std::vector<std::string> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    all.push_back(nlohmann::json::parse(line).at("text").get<std::string>());
  return all;
}

void time(const mortise::Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  const auto begin = std::chrono::steady_clock::now();
  std::size_t ids = 0;
  for (const std::string& text : texts) ids += tokenizer.encode(text).size();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << took.count() << " " << ids << std::endl;
}

void write_ids(const mortise::Tokenizer& tokenizer, const std::vector<std::string>& texts,
               const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (const std::string& text : texts) {
    const std::vector<std::uint32_t> ids = tokenizer.encode(text);
    const auto count = std::uint32_t(ids.size());
    file.write(reinterpret_cast<const char*>(&count), 4);
    file.write(reinterpret_cast<const char*>(ids.data()), std::streamsize(4 * ids.size()));
  }
  file.close();
  std::cout << "done" << std::endl;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::cerr << "usage: encode_bench PLUGIN COMPONENT SETTING VALUE FILE.jsonl\n";
    return 2;
  }
  const std::vector<std::string> given(arguments + 1, arguments + count);
  const std::vector<std::string> texts = documents(given[4]);
  const auto make = [&] {
    return std::make_unique<LoadedComponent>(given[0], given[1], SettingList{{given[2], given[3]}});
  };
  auto component = make();
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "fresh") {
      component = make();
      std::cout << "done" << std::endl;
    } else if (line == "time") {
      time(component->in_place<mortise::Tokenizer>(), texts);
    } else if (line.rfind("ids ", 0) == 0) {
      write_ids(component->in_place<mortise::Tokenizer>(), texts, line.substr(4));
    } else {
      std::cerr << "unknown: " << line << "\n";
      return 2;
    }
  }
}
