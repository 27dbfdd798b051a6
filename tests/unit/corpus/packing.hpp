#pragma once

#include <doctest/doctest.h>

#include <iostream>
#include <mortise/data/tokenizer.hpp>
#include <mortise/run/command.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "plugins/data/token_files/token_file.hpp"
#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace mortise::tests {

using Names = std::vector<std::string>;
using Tokens = std::vector<std::int64_t>;

// Folders with input and output, and the command as users get it.
struct Packing {
  ScratchFolder in, out;
  LoadedComponent bytes{"byte_tokenizer", "byte"};

  // Returns what the command prints.
  std::string pack(const Names& inputs, SettingList more = {}, mt_object tokenizer = {}) const {
    Names paths;
    for (const std::string& name : inputs) paths.push_back(name == "-" ? name : in.path(name));
    SettingList settings = {{"inputs", paths},
                            {"tokenizer", tokenizer.table ? tokenizer : bytes.object<Tokenizer>()},
                            {"out", out.path("o.pbin")}};
    for (auto& setting : more) settings.push_back(std::move(setting));
    std::ostringstream printed;
    std::streambuf* const kept = std::cout.rdbuf(printed.rdbuf());
    try {
      const LoadedComponent command("data_tools", "data.pack", std::move(settings));
      const std::int64_t exit_code = command.as<mortise::Command>().run();  // CHECK would catch
      CHECK(exit_code == 0);
    } catch (...) {
      std::cout.rdbuf(kept);
      throw;
    }
    std::cout.rdbuf(kept);
    return printed.str();
  }
  std::string refusal(const Names& inputs, SettingList more = {}) const {
    return message_of<mortise::Error>([&] { pack(inputs, std::move(more)); });
  }
};

inline std::vector<Tokens> documents(const std::string& path) {
  const token_files::TokenFile file(path);
  std::vector<Tokens> all;
  for (const auto& span : file.documents()) {
    Tokens& tokens = all.emplace_back(std::size_t(span.size));
    file.read(span.first, span.size, tokens.data());
  }
  return all;
}

}  // namespace mortise::tests
