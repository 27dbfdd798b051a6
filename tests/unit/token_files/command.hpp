#pragma once

// A command of the plugin token_tools as users get it.

#include <doctest/doctest.h>

#include <iostream>
#include <mortise/run/command.hpp>
#include <sstream>

#include "plugins/data/pbin/pbin_writer.hpp"
#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"
#include "tests/unit/token_files/golden.hpp"

namespace mortise::tests {

// What the command prints.
inline std::string run(const std::string& key, SettingList settings,
                       std::int64_t expected_exit = 0) {
  std::ostringstream printed;
  std::streambuf* const kept = std::cout.rdbuf(printed.rdbuf());
  std::int64_t exit_code = -1;
  try {
    const LoadedComponent command("token_tools", key, std::move(settings));
    exit_code = command.as<Command>().run();
  } catch (...) {
    std::cout.rdbuf(kept);
    throw;
  }
  std::cout.rdbuf(kept);
  CHECK(exit_code == expected_exit);
  return printed.str();
}

// What the command refuses to work with; the error must be of this kind.
inline std::string refusal(const std::string& key, ErrorCode kind, const SettingList& settings) {
  try {
    run(key, settings);
  } catch (const Error& e) {
    CHECK(e.code() == kind);
    return e.what();
  }
  return {};
}

inline SettingList operator+(SettingList some, const SettingList& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

// A packed file with a side file.
inline std::string packed(const std::string& path, const std::vector<Tokens>& documents,
                          const std::string& fingerprint = "byte/1",
                          std::int64_t vocabulary = 257) {
  pbin::PbinWriter writer(path, pbin::bytes_per_token(vocabulary), pbin::PartialFile::Busy::fail);
  for (const Tokens& document : documents) {
    writer.add(std::vector<std::uint32_t>(document.begin(), document.end()));
    writer.end_document();
  }
  pbin::SideFile side;
  side.tokenizer_fingerprint = fingerprint;
  side.vocabulary_size = vocabulary;
  side.end_of_document = 256;
  side.sources.push_back({"text.jsonl", 1000, std::int64_t(documents.size()), writer.tokens()});
  writer.finish(side);
  writer.publish();
  return path;
}

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace mortise::tests
