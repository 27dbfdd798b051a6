#include "json.hpp"

#include <mortise/error.hpp>

#include "../encoding/json_text.hpp"
#include "../unicode/tables.hpp"

namespace mortise::huggingface {

std::optional<Json> Json::find(std::string_view key) const {
  simdjson::dom::element value;
  if (object().at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  const bool is_file = path_.back() == ':';
  return Json(value, path_ + (is_file ? " " : ".") + std::string(key));
}

Json Json::at(std::string_view key) const {
  if (auto value = find(key)) return *value;
  refuse("has no " + std::string(key));
}

std::vector<Json> Json::items() const {
  std::vector<Json> all;
  for (const simdjson::dom::element item : list())
    all.emplace_back(item, path_ + "[" + std::to_string(all.size()) + "]");
  return all;
}

simdjson::dom::object Json::object() const {
  simdjson::dom::object object;
  if (value_.get(object) != simdjson::SUCCESS) refuse("is not an object");
  return object;
}

simdjson::dom::array Json::list() const {
  simdjson::dom::array list;
  if (value_.get(list) != simdjson::SUCCESS) refuse("is not a list");
  return list;
}

std::string_view Json::text() const {
  std::string_view text;
  if (value_.get(text) != simdjson::SUCCESS) refuse("is not text");
  return text;
}

bool Json::boolean() const {
  bool value;
  if (value_.get(value) != simdjson::SUCCESS) refuse("is neither true nor false");
  return value;
}

std::uint32_t Json::id() const {
  std::uint64_t id;
  if (value_.get(id) != simdjson::SUCCESS || id >= kIdLimit)
    refuse("is " + minified() + ": expected an id from 0 to " + std::to_string(kIdLimit - 1));
  return std::uint32_t(id);
}

double Json::number() const {
  double value;
  if (value_.get(value) != simdjson::SUCCESS) refuse("is not a number");
  return value;
}

bool Json::flag(std::string_view key, bool otherwise) const {
  const auto value = find(key);
  return value ? value->boolean() : otherwise;
}

std::string_view Json::character() const {
  const std::string_view one = text();
  if (one.empty() || unicode::character_at(one.data()).size != one.size())
    refuse("is " + in_quotes(one) + ": expected one character");
  return one;
}

void Json::refuse(const std::string& what) const { throw DataError(path_ + " " + what); }

void Json::refuse_unsupported(std::string_view what) const {
  refuse("asks for " + std::string(what) + ", which is not supported");
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  return encoding::json_string(text.size() > longest ? std::string(text.substr(0, longest)) + "…"
                                                     : std::string(text));
}

}  // namespace mortise::huggingface
