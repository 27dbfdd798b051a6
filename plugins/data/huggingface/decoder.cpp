#include "decoder.hpp"

#include <memory>

#include "../encoding/utf8.hpp"
#include "../normalizers/normalizer.hpp"
#include "../unicode/tables.hpp"
#include "byte_letters.hpp"
#include "steps.hpp"

namespace mortise::huggingface {

namespace {

using Tokens = std::vector<std::string>;

void join(Tokens& tokens, std::size_t) {
  std::string text;
  for (const std::string& token : tokens) text += token;
  tokens.assign(1, std::move(text));
}

void byte_level(Tokens& tokens, std::size_t) {
  std::string bytes;
  for (const std::string& token : tokens) bytes += from_letters(token).value_or(token);
  tokens.assign(1, encoding::valid_utf8(bytes));
}

std::optional<char> byte_of(std::string_view token) {
  if (token.size() != 6 || token.substr(0, 3) != "<0x" || token.back() != '>') return std::nullopt;
  unsigned value = 0;
  for (const char c : token.substr(3, 2)) {
    const std::string_view digits = "0123456789abcdef";
    const std::size_t digit = digits.find(c >= 'A' && c <= 'F' ? char(c | 0x20) : c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value << 4 | unsigned(digit);
  }
  return static_cast<char>(value);
}

// A run of byte tokens is one text if it is UTF-8; if not, each is a replacement character.
void byte_fallback(Tokens& tokens, std::size_t) {
  Tokens made;
  std::string bytes;
  const auto finish = [&] {
    if (simdjson::validate_utf8(bytes.data(), bytes.size())) {
      if (!bytes.empty()) made.push_back(bytes);
    } else {
      made.insert(made.end(), bytes.size(), std::string(encoding::kReplacement));
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const auto byte = byte_of(token)) {
      bytes.push_back(*byte);
    } else {
      finish();
      made.push_back(std::move(token));
    }
  }
  finish();
  tokens = std::move(made);
}

std::string replaced(std::string_view token, std::string_view from, std::string_view to) {
  std::string made;
  for (std::size_t at = 0;;) {
    const std::size_t found = token.find(from, at);
    made += token.substr(at, found - at);
    if (found == std::string_view::npos) return made;
    made += to;
    at = found + from.size();
  }
}

}  // namespace

Decoder::Decoder(const std::optional<Json>& section) {
  if (section)
    add(*section, 0);
  else
    joins_with_blanks_ = true;
}

std::string Decoder::decode(std::vector<std::string> tokens) const {
  std::size_t size = 0;
  for (const std::string& token : tokens) size += token.size();
  for (const Step& step : steps_) step(tokens, normalizers::most_bytes(size));
  std::string text;
  for (std::size_t i = 0; i != tokens.size(); ++i) {
    if (joins_with_blanks_ && i != 0) text += ' ';
    text += tokens[i];
  }
  return text;
}

void Decoder::add(const Json& section, int depth) {
  const std::string_view type = section.type();
  if (type == "Sequence") {
    if (depth == 16) section.refuse("is nested too deeply");
    for (const Json& item : section.at("decoders").items()) add(item, depth + 1);
  } else if (type == "ByteLevel") {
    steps_.push_back(byte_level);
  } else if (type == "ByteFallback") {
    steps_.push_back(byte_fallback);
  } else if (type == "Fuse") {
    steps_.push_back(join);
  } else if (type == "Replace") {
    add_replace(section);
  } else if (type == "Strip") {
    add_strip(section);
  } else if (type == "Metaspace") {
    add_metaspace(section);
  } else {
    section.refuse_unsupported("the decoder " + in_quotes(type));
  }
}

void Decoder::add_replace(const Json& section) {
  const Json pattern = section.at("pattern");
  const std::string to(section.at("content").text());
  const auto literal = pattern.find("String");
  if (literal && literal->text().empty()) literal->refuse("is empty: nothing can be replaced");
  const Matcher matcher =
      literal ? literal_matcher(literal->text()) : pattern.at("Regex").made_by([&] {
        return regex_matcher(pattern.at("Regex").text(), split::Dialect::oniguruma);
      });
  steps_.push_back([matcher, to](Tokens& tokens, std::size_t most) {
    std::vector<Part> parts;
    for (std::string& token : tokens) {
      parts.clear();
      matcher(token, parts);
      std::string made;
      for (const Part& part : parts) {
        made += part.is_match ? to : token.substr(part.begin, part.end - part.begin);
        normalizers::check_size(made, most);
      }
      token = std::move(made);
      most -= token.size();
    }
  });
}

void Decoder::add_strip(const Json& section) {
  const std::string content(section.at("content").character());
  const std::uint32_t start = section.at("start").id(), stop = section.at("stop").id();
  steps_.push_back([content, start, stop](Tokens& tokens, std::size_t) {
    for (std::string& token : tokens) {
      for (std::uint32_t n = 0; n != start && token.compare(0, content.size(), content) == 0; ++n)
        token.erase(0, content.size());
      for (std::uint32_t n = 0;
           n != stop && token.size() >= content.size() &&
           token.compare(token.size() - content.size(), content.size(), content) == 0;
           ++n)
        token.erase(token.size() - content.size());
    }
  });
}

void Decoder::add_metaspace(const Json& section) {
  const std::string replacement(section.at("replacement").character());
  const auto scheme = section.find("prepend_scheme");
  const bool prepends =
      section.flag("add_prefix_space", true) && !(scheme && scheme->text() == "never");
  steps_.push_back([replacement, prepends](Tokens& tokens, std::size_t) {
    for (std::size_t i = 0; i != tokens.size(); ++i)
      tokens[i] = replaced(tokens[i], replacement, i == 0 && prepends ? "" : " ");
  });
}

}  // namespace mortise::huggingface
