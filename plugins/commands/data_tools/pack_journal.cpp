#include "pack_journal.hpp"

#include <simdjson.h>

#include <algorithm>
#include <mortise/error.hpp>

#include "../../data/encoding/json_text.hpp"

namespace mortise::data_tools {

namespace {

using Json = simdjson::dom::element;

std::string job_line(const PackJournal::Job& job) {
  std::string text = "{";
  for (const auto& [name, value] : job)
    text += (text.size() == 1 ? "" : ", ") + encoding::json_string(name) + ": " +
            encoding::json_string(value);
  return text + "}\n";
}

std::int64_t number(const Json& entry, const char* key) { return entry[key].get_int64().value(); }

void append(std::string& text, const char* key, std::int64_t value) {
  text += std::string(text.empty() ? "{" : ", ") + "\"" + key + "\": " + std::to_string(value);
}

std::string source_text(std::size_t index, const pbin::SideFile::Source& source) {
  return "[" + std::to_string(index) + ", " + std::to_string(source.bytes) + ", " +
         std::to_string(source.documents) + ", " + std::to_string(source.tokens) + "]";
}

}  // namespace

PackJournal::PackJournal(std::string path, const Job& job, const std::vector<std::string>& files,
                         bool resume)
    : file_(std::move(path), pbin::PartialFile::Busy::fail,
            resume ? pbin::PartialFile::Content::keep : pbin::PartialFile::Content::begin_anew) {
  for (const std::string& file : files) sources_.push_back({file, 0, 0, 0});
  const std::string text = content();
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    try {
      begin == 0 ? read_job(line, job) : read_entry(line);
    } catch (const simdjson::simdjson_error& e) {
      file_.leave();
      throw DataError(file_.path() + " is broken (" + e.what() + "): run without --resume");
    }
  }
  file_.cut(begin);  // what a killed process has not ended
  if (begin == 0) file_.append(job_line(job));
}

std::string PackJournal::content() {
  std::string text(file_.size(), '\0');
  file_.read(0, text.data(), text.size());
  return text;
}

void PackJournal::read_job(std::string_view line, const Job& job) {
  simdjson::dom::parser parser;
  const simdjson::dom::object before = parser.parse(std::string(line)).get_object().value();
  std::string difference = before.size() == job.size() ? "" : "number of inputs";
  for (const auto& [name, value] : job) {
    std::string_view found;
    const bool same = before.at_key(name).get(found) == simdjson::SUCCESS && found == value;
    if (!same && difference.empty()) difference = name;
  }
  if (difference.empty()) return;
  file_.leave();
  throw DataError("the job that was interrupted differs in: " + difference +
                  "; run without --resume to begin anew");
}

void PackJournal::read_entry(std::string_view line) {
  simdjson::dom::parser parser;
  const Json json = parser.parse(std::string(line));
  Entry entry;
  corpus::PackState& pack = entry.pack;
  pack.next = {std::size_t(number(json, "source")), number(json, "offset"), number(json, "line")};
  pack.raw_bytes_before = number(json, "raw_bytes_before");
  pack.progress = {number(json, "raw_bytes"), number(json, "text_bytes"),
                   number(json, "blank_lines"), number(json, "skipped"), number(json, "replaced")};
  entry.tokens = {number(json, "tokens"), number(json, "documents"), number(json, "largest"),
                  std::string(json["checksum"].get_string().value())};
  entry.report_bytes = std::uint64_t(number(json, "report_bytes"));
  const simdjson::dom::array sources = json["sources"].get_array();
  for (const Json source : sources) {
    pbin::SideFile::Source& s = sources_.at(std::size_t(source.at(0).get_int64().value()));
    s.bytes = source.at(1).get_int64().value();
    s.documents = source.at(2).get_int64().value();
    s.tokens = source.at(3).get_int64().value();
  }
  pack.sources = sources_;
  first_changed_ = pack.next.source;
  last_ = std::move(entry);
}

void PackJournal::add(const Entry& entry) {
  const corpus::PackState& pack = entry.pack;
  std::string text;
  append(text, "source", std::int64_t(pack.next.source));
  append(text, "offset", pack.next.offset);
  append(text, "line", pack.next.line);
  append(text, "raw_bytes_before", pack.raw_bytes_before);
  append(text, "raw_bytes", pack.progress.raw_bytes);
  append(text, "text_bytes", pack.progress.text_bytes);
  append(text, "blank_lines", pack.progress.blank_lines);
  append(text, "skipped", pack.progress.skipped);
  append(text, "replaced", pack.progress.replaced);
  append(text, "tokens", entry.tokens.tokens);
  append(text, "documents", entry.tokens.documents);
  append(text, "largest", entry.tokens.largest);
  append(text, "report_bytes", std::int64_t(entry.report_bytes));
  text += ", \"checksum\": \"" + entry.tokens.checksum + "\", \"sources\": [";
  const std::size_t end = std::min(pack.next.source + 1, pack.sources.size());
  for (std::size_t i = first_changed_; i != end; ++i)
    text += (i == first_changed_ ? "" : ", ") + source_text(i, pack.sources[i]);
  file_.append(text + "]}\n");
  file_.sync();
  first_changed_ = pack.next.source;
  has_entries_ = true;
}

}  // namespace mortise::data_tools
