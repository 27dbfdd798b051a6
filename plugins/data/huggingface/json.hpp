#pragma once

// Values of a tokenizer.json, each with its place, for error messages.

#include <simdjson.h>

#include <cstdint>
#include <mortise/error.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::huggingface {

// Types:   `path` is the name of the file and a colon, then keys and indices.
// Errors:  DataError with path, what was expected and what is there.
class Json {
 public:
  Json(simdjson::dom::element value, std::string path) : value_(value), path_(std::move(path)) {}

  // The value of `key`, if it is there and not null.
  std::optional<Json> find(std::string_view key) const;
  Json at(std::string_view key) const;
  std::vector<Json> items() const;

  simdjson::dom::object object() const;
  simdjson::dom::array list() const;
  std::string_view text() const;
  bool boolean() const;
  std::uint32_t id() const;  // below kIdLimit
  double number() const;
  bool is_text() const { return value_.is_string(); }

  bool flag(std::string_view key, bool otherwise) const;
  // One character.
  std::string_view character() const;

  std::string_view type() const { return at("type").text(); }

  [[noreturn]] void refuse(const std::string& what) const;
  // `what` names what the value asks for.
  [[noreturn]] void refuse_unsupported(std::string_view what) const;

  // What `make` gives; a DataError that it throws gets this place.
  template <class Make>
  auto made_by(Make&& make) const {
    try {
      return make();
    } catch (const DataError& error) {
      refuse(std::string("is of no use: ") + error.what());
    }
  }

  const std::string& path() const { return path_; }
  std::string minified() const { return simdjson::minify(value_); }

  // Ids beyond this would need tables of gigabytes.
  static constexpr std::uint32_t kIdLimit = 1u << 24;

 private:
  simdjson::dom::element value_;
  std::string path_;
};

// `text` in quotes, cut off where it is long.
std::string in_quotes(std::string_view text);

}  // namespace mortise::huggingface
