// Encodes and decodes many texts in one process, for scripts that compare with other libraries.
//
//   tokenizer_ids PLUGIN KEY [SETTING=VALUE]...
//
// Reads texts from standard input: uint32 LE size, bytes. Writes for each: uint32 LE number of ids,
// the ids, uint32 LE size, the text decoded from them. Where encode() fails the number is
// 0xFFFFFFFF and the message stands for the text.

#include <cstdio>
#include <mortise/data/tokenizer.hpp>

#include "tests/unit/loaded_component.hpp"

namespace {

using namespace mortise::tests;
using mortise::Tokenizer;

SettingList settings_of(int count, char** words) {
  SettingList settings;
  for (int i = 0; i != count; ++i) {
    const std::string word = words[i];
    const std::size_t at = word.find('=');
    settings.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
  return settings;
}

bool read_text(std::string& text) {
  std::uint32_t size = 0;
  if (std::fread(&size, sizeof size, 1, stdin) != 1) return false;
  text.resize(size);
  return std::fread(text.data(), 1, size, stdin) == size;
}

void write_number(std::size_t number) {
  const auto value = static_cast<std::uint32_t>(number);
  std::fwrite(&value, sizeof value, 1, stdout);
}

void write_text(const std::string& text) {
  write_number(text.size());
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void answer(const Tokenizer& tokenizer, const std::string& text) {
  try {
    const std::vector<std::uint32_t> ids = tokenizer.encode(text);
    const std::string decoded = tokenizer.decode(ids);
    write_number(ids.size());
    std::fwrite(ids.data(), sizeof ids[0], ids.size(), stdout);
    write_text(decoded);
  } catch (const mortise::Error& e) {
    write_number(UINT32_MAX);
    write_text(e.what());
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 3)
    return std::fputs("usage: tokenizer_ids PLUGIN KEY [SETTING=VALUE]...\n", stderr), 2;
  try {
    const LoadedComponent component(words[1], words[2], settings_of(count - 3, words + 3));
    const auto tokenizer = component.as<Tokenizer>();
    for (std::string text; read_text(text);) answer(tokenizer, text);
  } catch (const mortise::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
