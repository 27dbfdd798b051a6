#include "side_file.hpp"

#include <simdjson.h>
#include <unistd.h>

#include <mortise/error.hpp>

#include "../encoding/json_text.hpp"
#include "mapped_file.hpp"

namespace mortise::pbin {

namespace {

using Json = simdjson::dom::element;

std::string line(const char* key, const std::string& value) {
  return "  \"" + std::string(key) + "\": " + value;
}

std::string json_of(const SideFile::Source& s) {
  std::string text = "    {\"file\": " + encoding::json_string(s.file);
  const auto count = [&](const char* key, std::int64_t value) {
    if (value >= 0) text += std::string(", \"") + key + "\": " + std::to_string(value);
  };
  count("bytes", s.bytes);
  count("documents", s.documents);
  count("tokens", s.tokens);
  return text + "}";
}

// Leaves `into` as it is when `key` is not there.
template <class T, class Wire>
void take(const Json& object, const char* key, T& into) {
  Wire value;
  const auto error = object[key].get(value);
  if (error == simdjson::NO_SUCH_FIELD) return;
  if (error != simdjson::SUCCESS)
    throw DataError(std::string(key) + ": " + simdjson::error_message(error));
  into = T(value);
}
void take(const Json& object, const char* key, std::int64_t& into) {
  take<std::int64_t, std::int64_t>(object, key, into);
}
void take(const Json& object, const char* key, std::string& into) {
  take<std::string, std::string_view>(object, key, into);
}

SideFile::Source source_of(const Json& json) {
  SideFile::Source source;
  take(json, "file", source.file);
  take(json, "bytes", source.bytes);
  take(json, "documents", source.documents);
  take(json, "tokens", source.tokens);
  return source;
}

SideFile side_of(const Json& json) {
  if (!json.is_object()) throw DataError("expected an object");
  SideFile side;
  take(json, "tokenizer_fingerprint", side.tokenizer_fingerprint);
  take(json, "vocabulary_size", side.vocabulary_size);
  take(json, "end_of_document", side.end_of_document);
  take(json, "tokens", side.tokens);
  take(json, "documents", side.documents);
  take(json, "largest_token", side.largest_token);
  take(json, "checksum", side.checksum);
  simdjson::dom::array sources;
  if (json["sources"].get(sources) == simdjson::SUCCESS)
    for (const Json source : sources) side.sources.push_back(source_of(source));
  return side;
}

}  // namespace

std::string side_path(const std::string& pbin_path) { return pbin_path + ".json"; }

std::string json_of(const SideFile& side) {
  std::string text = "{\n";
  const auto add = [&](const char* key, const std::string& value) {
    text += line(key, value) + ",\n";
  };
  const auto count = [&](const char* key, std::int64_t value) {
    if (value >= 0) add(key, std::to_string(value));
  };
  add("tokenizer_fingerprint", encoding::json_string(side.tokenizer_fingerprint));
  count("vocabulary_size", side.vocabulary_size);
  count("end_of_document", side.end_of_document);
  count("tokens", side.tokens);
  count("documents", side.documents);
  count("largest_token", side.largest_token);
  add("checksum", encoding::json_string(side.checksum));
  text += "  \"sources\": [";
  for (std::size_t i = 0; i != side.sources.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + json_of(side.sources[i]);
  return text + (side.sources.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::optional<SideFile> read_side_file(const std::string& pbin_path) {
  const std::string path = side_path(pbin_path);
  if (::access(path.c_str(), F_OK) != 0) return std::nullopt;
  const MappedFile file(path);
  if (file.bytes().empty()) throw DataError(path + " is empty");
  simdjson::dom::parser parser;
  Json json;
  if (const auto error = parser.parse(file.bytes().data(), file.bytes().size()).get(json))
    throw DataError(path + " is not valid JSON: " + simdjson::error_message(error));
  try {
    return side_of(json);
  } catch (const DataError& e) {
    throw DataError(path + ": " + e.what());
  }
}

}  // namespace mortise::pbin
