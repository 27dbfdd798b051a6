#pragma once

// Samples cut from packed tokens, T + 1 tokens each. What is cut is a piece: a file's part of the
// stream, or a document. Sample i of a piece begins at its token i * T, where samples share their
// last token, or i * (T + 1). No sample crosses from one piece into another.

#include <cstdint>
#include <mortise/data/dataset.hpp>
#include <span>
#include <string>
#include <vector>

#include "hold_out.hpp"
#include "window_settings.hpp"

namespace mortise::windows {

class TokenWindows {
 public:
  // `source`: what the user calls the files.
  // Errors: DataError with both numbers when there is not one sample, and for files without
  //         documents where documents matter.
  TokenWindows(std::vector<Stream> streams, const WindowSettings& settings,
               const std::string& source);

  std::int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  std::int64_t tokens() const { return tokens_; }
  std::vector<Sample> read(std::span<const std::int64_t> indices) const;

  // The tokens [first, first + size) of a file; fewer than T + 1 where a document is too short.
  struct Place {
    std::size_t stream;
    std::int64_t first, size;
  };
  Place place(std::int64_t index) const;
  const Stream& stream(std::size_t number) const { return streams_[number]; }

 private:
  std::int64_t stride() const { return length_ + (settings_.share_last_token ? 0 : 1); }
  std::int64_t samples_in(std::int64_t tokens) const;
  void add_documents(std::size_t stream);
  void add_piece(const Place& piece);
  Array tokens_of(const Place& from) const;
  Array mask_of(const Place& from) const;
  Array document_ids_of(const Place& from) const;

  std::vector<Stream> streams_;
  WindowSettings settings_;
  std::int64_t length_, tokens_ = 0;
  std::vector<Place> pieces_;
  std::vector<std::int64_t> ends_;                 // samples up to and with each piece
  std::vector<std::vector<std::int64_t>> starts_;  // of the documents of each stream, if isolated
};

// "FILE, tokens A..B" of `count` tokens from `first` on.
std::string place_text(const std::string& file, std::int64_t first, std::int64_t count);

}  // namespace mortise::windows
