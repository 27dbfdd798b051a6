#include "pack_cache.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "../corpus/raw_input.hpp"
#include "../corpus/text_format.hpp"
#include "../pbin/checksum.hpp"

namespace mortise::text {

namespace {

// To be raised when the same text would be packed into other tokens.
constexpr std::string_view kVersion = "mortise packed text 1";

// With its length, so that parts cannot run into each other.
void add_part(pbin::Checksum& checksum, std::string_view part) {
  checksum.add(std::to_string(part.size()) + ":");
  checksum.add(part);
}

void add_file(pbin::Checksum& checksum, const std::string& path) {
  checksum.add(std::to_string(corpus::state_of(path).bytes) + ":");
  corpus::RawInput file(path, {});
  for (std::string_view block = file.next_block(); !block.empty(); block = file.next_block())
    checksum.add(block);
}

bool is_there(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorCode::storage, "the cache folder " + folder +
                                        " cannot be made: " + error.message() +
                                        "; give another one with `cache:` or XDG_CACHE_HOME");
}

}  // namespace

std::string cache_key(const std::vector<std::string>& files, const Tokenizer& tokenizer,
                      std::string_view field) {
  pbin::Checksum checksum;
  add_part(checksum, kVersion);
  add_part(checksum, tokenizer.fingerprint());
  add_part(checksum, std::to_string(tokenizer.vocabulary_size()));
  for (const SpecialToken& token : tokenizer.special_tokens())
    add_part(checksum, token.name + "=" + std::to_string(token.id));
  for (const std::string& file : files) {
    add_part(checksum, corpus::is_jsonl(file) ? "jsonl " + std::string(field) : "plain");
    add_file(checksum, file);
  }
  return checksum.hex128();
}

std::string cache_folder(std::string_view asked) {
  if (!asked.empty()) return std::string(asked);
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/mortise/packed";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/mortise/packed";
  throw ConfigError(
      "neither XDG_CACHE_HOME nor HOME is set: give a folder for packed text with `cache:`");
}

std::string cached(const std::string& folder, const std::string& key, std::int64_t vocabulary_size,
                   const std::function<void(pbin::PbinWriter&)>& pack) {
  const std::string path = folder + "/" + key + ".pbin";
  if (is_there(path)) return path;
  make_folder(folder);
  if (::access(folder.c_str(), W_OK) != 0)
    throw Error(ErrorCode::storage, "the cache folder " + folder +
                                        " cannot be written: give another one " +
                                        "with `cache:` or XDG_CACHE_HOME");
  pbin::PbinWriter writer(path, pbin::bytes_per_token(vocabulary_size),
                          pbin::PartialFile::Busy::wait);
  if (is_there(path)) return path;  // made while this process waited
  pack(writer);
  writer.publish();
  return path;
}

}  // namespace mortise::text
