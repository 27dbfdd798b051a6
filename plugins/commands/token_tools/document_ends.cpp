#include "document_ends.hpp"

#include <algorithm>
#include <mortise/error.hpp>
#include <utility>

namespace mortise::token_tools {

DocumentEnds::DocumentEnds(std::int64_t end_id, std::string path)
    : end_id_(end_id), path_(std::move(path)) {}

void DocumentEnds::refuse(const std::string& why) const {
  throw DataError(path_ + ": document " + std::to_string(document_) + " " + why +
                  ", so a format without an index of documents could not carry its end: choose "
                  "another format, --eod ID, or --drop-boundaries");
}

void DocumentEnds::begin() {
  if (!ended_)
    refuse(end_id_ < 0 ? "is followed by another, and no end-of-document id is known"
                       : "does not end with id " + std::to_string(end_id_));
  ++document_;
  size_ = 0;
  ended_ = false;
}

void DocumentEnds::add(std::span<const std::uint32_t> ids) {
  if (ids.empty()) return;
  size_ += std::int64_t(ids.size());
  if (end_id_ < 0) return;
  const auto found = std::find(ids.begin(), ids.end(), end_id_);
  if (ended_ || (found != ids.end() && found + 1 != ids.end()))
    refuse("has the end-of-document id " + std::to_string(end_id_) + " before its end");
  ended_ = found != ids.end();
}

void DocumentEnds::end() {
  if (size_ == 0) refuse("is empty");
}

}  // namespace mortise::token_tools
