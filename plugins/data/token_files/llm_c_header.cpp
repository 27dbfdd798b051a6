#include "llm_c_header.hpp"

#include <mortise/error.hpp>

#include "bytes.hpp"

namespace mortise::token_files {

namespace {

constexpr std::uint64_t kHeaderBytes = 1024;

struct Kind {
  std::int32_t magic, version;
  std::uint32_t width;
};
constexpr Kind kKinds[] = {{20240520, 1, 2}, {20240801, 7, 4}};

const Kind* kind_of(std::string_view file) {
  if (file.size() < 8) return nullptr;
  for (const Kind& kind : kKinds)
    if (number_at<std::int32_t>(file, 0) == kind.magic &&
        number_at<std::int32_t>(file, 4) == kind.version)
      return &kind;
  return nullptr;
}

}  // namespace

bool is_llm_c(std::string_view file) { return kind_of(file) != nullptr; }

Layout llm_c_layout(std::string_view file, const std::string& path) {
  const Kind* const kind = kind_of(file);
  const auto refuse = [&](const std::string& why) {
    throw DataError(path + " is no complete token file of llm.c: " + why);
  };
  if (kind == nullptr) refuse("it does not begin with magic 20240520 or 20240801");
  if (file.size() < kHeaderBytes)
    refuse("it has " + std::to_string(file.size()) + " bytes, its header needs 1024");
  const auto tokens = number_at<std::int32_t>(file, 8);
  if (tokens < 0) refuse("its header says " + std::to_string(tokens) + " tokens");
  const std::uint64_t expected = kHeaderBytes + std::uint64_t(tokens) * kind->width;
  if (file.size() != expected)
    refuse("its header says " + std::to_string(tokens) + " tokens, so expected " +
           std::to_string(expected) + " bytes, got " + std::to_string(file.size()));
  return {Format::llm_c, unsigned_element(kind->width), kHeaderBytes, tokens};
}

std::string llm_c_header(std::int64_t tokens, std::uint32_t width) {
  const Kind& kind = kKinds[width == 2 ? 0 : 1];
  std::string header = bytes_of_number(kind.magic) + bytes_of_number(kind.version) +
                       bytes_of_number(static_cast<std::int32_t>(tokens));
  header.resize(kHeaderBytes, '\0');
  return header;
}

}  // namespace mortise::token_files
