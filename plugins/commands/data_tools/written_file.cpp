#include "written_file.hpp"

#include "../../data/encoding/json_text.hpp"
#include "plural.hpp"

namespace mortise::data_tools {

std::string written_text(const token_files::TokenWriter& writer, std::uint32_t width) {
  return plural(writer.documents(), "document") + ", " + plural(writer.tokens(), "token") + ", " +
         plural(writer.tokens() * width, "byte") + " in " + writer.path();
}

std::string written_json(const token_files::TokenWriter& writer, std::uint32_t width) {
  return "{\"file\": " + encoding::json_string(writer.path()) +
         ", \"documents\": " + std::to_string(writer.documents()) +
         ", \"tokens\": " + std::to_string(writer.tokens()) +
         ", \"bytes_per_token\": " + std::to_string(width) + "}";
}

}  // namespace mortise::data_tools
