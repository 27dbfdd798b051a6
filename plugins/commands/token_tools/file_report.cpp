#include "file_report.hpp"

#include "../../data/encoding/json_text.hpp"
#include "../data_tools/plural.hpp"
#include "output.hpp"

namespace mortise::token_tools {

namespace {

using encoding::json_string;

std::string joined(const std::vector<std::int64_t>& ids, const char* between) {
  std::string text;
  for (const std::int64_t id : ids) text += (text.empty() ? "" : between) + std::to_string(id);
  return text;
}

std::string line(const std::string& name, const std::string& value) {
  return "  " + name + std::string(11 - name.size(), ' ') + value + "\n";
}

std::string documents_text(const FileReport& report) {
  if (report.documents < 0) return "not known to this format, nor an id that ends them";
  std::string text = std::to_string(report.documents);
  if (report.documents > 0)
    text += ", of " + std::to_string(report.shortest) + " to " + std::to_string(report.longest) +
            " tokens";
  return text;
}

std::string tokenizer_text(const pbin::SideFile& side) {
  if (side.tokenizer_fingerprint.empty()) return "not known";
  std::string text = side.tokenizer_fingerprint;
  if (side.vocabulary_size >= 0) text += ", " + std::to_string(side.vocabulary_size) + " ids";
  if (side.end_of_document >= 0)
    text += ", documents end with " + std::to_string(side.end_of_document);
  return text;
}

std::string sources_text(const pbin::SideFile& side) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i != std::min(shown, side.sources.size()); ++i)
    text += (i == 0 ? "" : ", ") + side.sources[i].file;
  if (side.sources.size() > shown)
    text += " and " + std::to_string(side.sources.size() - shown) + " more";
  return text;
}

std::string number_or_null(std::int64_t value) {
  return value < 0 ? "null" : std::to_string(value);
}
std::string text_or_null(const std::string& text) {
  return text.empty() ? "null" : json_string(text);
}

std::string json_of(const FileReport::Document& document) {
  std::string text = "{\"tokens\":" + std::to_string(document.tokens) + ",\"ids\":[" +
                     joined(document.ids, ",") + "]";
  if (document.text) text += ",\"text\":" + json_string(*document.text);
  return text + "}";
}

}  // namespace

std::string text_of(const FileReport& report) {
  std::string text = report.path + "\n";
  text += line("format", report.format + ", " + data_tools::plural(report.bytes_per_token, "byte") +
                             " a token");
  text += line("tokens", std::to_string(report.tokens));
  text += line("documents", documents_text(report));
  text += line("tokenizer", tokenizer_text(report.side));
  if (!report.side.sources.empty()) text += line("made of", sources_text(report.side));
  for (std::size_t i = 0; i != report.first.size(); ++i) {
    const FileReport::Document& document = report.first[i];
    const bool more = document.tokens > std::int64_t(document.ids.size());
    text += "  document " + std::to_string(i) + ", " +
            data_tools::plural(document.tokens, "token") + ": " + joined(document.ids, " ") +
            (more ? " …" : "") + "\n";
    if (document.text) text += "    " + json_string(*document.text) + (more ? " …" : "") + "\n";
  }
  return text;
}

std::string json_of(const FileReport& report) {
  std::string text =
      "{\"file\":" + json_string(report.path) + ",\"format\":" + json_string(report.format) +
      ",\"bytes_per_token\":" + std::to_string(report.bytes_per_token) +
      ",\"tokens\":" + std::to_string(report.tokens) +
      ",\"documents\":" + number_or_null(report.documents) +
      ",\"shortest\":" + number_or_null(report.shortest) +
      ",\"longest\":" + number_or_null(report.longest) +
      ",\"tokenizer_fingerprint\":" + text_or_null(report.side.tokenizer_fingerprint) +
      ",\"vocabulary_size\":" + number_or_null(report.side.vocabulary_size) +
      ",\"end_of_document\":" + number_or_null(report.side.end_of_document) +
      ",\"largest_token\":" + number_or_null(report.side.largest_token) +
      ",\"checksum\":" + text_or_null(report.side.checksum) + ",\"sources\":[";
  for (std::size_t i = 0; i != report.side.sources.size(); ++i)
    text += (i == 0 ? "" : ",") + json_string(report.side.sources[i].file);
  text += "],\"first_documents\":[";
  for (std::size_t i = 0; i != report.first.size(); ++i)
    text += (i == 0 ? "" : ",") + json_of(report.first[i]);
  return text + "]}";
}

}  // namespace mortise::token_tools
