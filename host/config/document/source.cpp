#include "host/config/document/source.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <system_error>

#include "host/config/findings.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

std::string hex(unsigned value, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "%0*X", digits, value);
  return text;
}

// Length of the UTF-8 sequence at `at`, 0 when it is none (overlong, surrogate, past U+10FFFF).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool is_control(unsigned char c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
}

bool starts_with_utf16_mark(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

std::string with_unix_line_ends(std::string text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r')
      out += text[i];
    else if (i + 1 == text.size() || text[i + 1] != '\n')
      out += '\n';
  }
  return out;
}

// The file's bytes, or the reason why not.
std::string read_bytes(const fs::path& file, std::string& problem) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (!fs::exists(status)) return problem = "there is no such file", "";
  if (fs::is_directory(status)) return problem = "is a folder, not a file", "";
  std::ifstream in(file, std::ios::binary);
  if (!in) return problem = "cannot be read (permissions?)", "";
  std::string text(kMaxFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxFileBytes) problem = "is larger than 16 MiB: not a file of settings";
  return text;
}

// What a terminal may be shown of a file that is no text: same length, no control characters.
std::string harmless(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0 || (is_control(byte) && byte != '\n')) text[at] = '?';
    at += std::max<std::size_t>(length, 1);
  }
  return text;
}

Place place_of(const Source& source, std::size_t offset) {
  const auto before = std::string_view(source.text()).substr(0, offset);
  const int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  return {&source, line, count_characters(before.substr(source.offset(line))) + 1, 1};
}

}  // namespace

Source::Source(Kind kind, std::string name, fs::path folder, std::string text)
    : kind_(kind), name_(std::move(name)), folder_(std::move(folder)), text_(std::move(text)) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') starts_.push_back(i + 1);
  }
}

std::size_t Source::offset(int line) const {
  const auto index = static_cast<std::size_t>(line - 1);
  return line >= 1 && index < starts_.size() ? starts_[index] : text_.size();
}

std::string_view Source::line(int number) const {
  const std::size_t begin = offset(number);
  const auto next = static_cast<std::size_t>(std::max(number, 0));
  const std::size_t end = next < starts_.size() ? starts_[next] - 1 : text_.size();
  return std::string_view(text_).substr(begin, end - begin);
}

Location location(const Place& place) {
  if (place.source == nullptr) return {};
  return {place.source->name(), place.line, place.column, place.length};
}

std::string describe(const Place& place) {
  if (place.source == nullptr) return "";
  if (!place.source->is_file()) return place.source->name();
  return place.source->name() + ":" + std::to_string(place.line) + ":" +
         std::to_string(place.column);
}

int count_characters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

std::string judge_text(std::string_view text, std::size_t& offset) {
  offset = 0;
  if (starts_with_utf16_mark(text)) return "is UTF-16: save it as UTF-8";
  while (offset < text.size()) {
    const std::size_t length = sequence_length(text, offset);
    const auto byte = static_cast<unsigned char>(text[offset]);
    if (byte == 0) return "holds a NUL byte: UTF-16 without a byte-order mark, or not a text file";
    if (length == 0)
      return "is not UTF-8: byte 0x" + hex(byte, 2) + " at offset " + std::to_string(offset);
    if (is_control(byte)) return "holds the control character U+" + hex(byte, 4);
    offset += length;
  }
  return "";
}

const Source& Sources::add(Source source) {
  sources_.push_back(std::move(source));
  sources_.back().set_order(static_cast<int>(sources_.size()));
  return sources_.back();
}

const Source* Sources::read(Source::Kind kind, const fs::path& file, const std::string& name,
                            const Place& asked, Findings& findings) {
  std::string problem;
  std::string text = read_bytes(file, problem);
  if (!problem.empty()) {
    findings.add(finding::unreadable, asked, name, problem);
    return nullptr;
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::size_t offset = 0;
  const std::string fault = judge_text(text, offset);
  text = with_unix_line_ends(std::move(text));
  if (!fault.empty()) text = harmless(std::move(text));
  const Source& source =
      add(Source(kind, name, fs::absolute(file).lexically_normal().parent_path(), std::move(text)));
  if (fault.empty()) return &source;
  findings.add(finding::encoding, place_of(source, std::min(offset, source.text().size())), "",
               "the file " + fault);
  return nullptr;
}

}  // namespace mortise::host
