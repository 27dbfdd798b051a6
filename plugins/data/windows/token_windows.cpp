#include "token_windows.hpp"

#include <algorithm>
#include <utility>

namespace mortise::windows {

namespace {

std::string name_of(Part part, const std::string& source) {
  if (part == Part::train) return "what hold_out leaves of " + source;
  if (part == Part::held_out) return "what hold_out takes of " + source;
  return source;
}

// The documents of a file that knows them.
std::vector<token_files::TokenSpan> documents_of(const token_files::TokenFile& file,
                                                 const char* setting) {
  if (!file.knows_documents())
    throw DataError(file.path() + " does not say where its documents begin, which " + setting +
                    " needs: convert or pack it into a .pbin that does");
  return file.documents();
}

}  // namespace

TokenWindows::TokenWindows(std::vector<Stream> streams, const WindowSettings& settings,
                           const std::string& source)
    : streams_(std::move(streams)), settings_(settings), length_(settings.sequence_length) {
  const bool by_document = settings_.cut == Cut::documents;
  std::int64_t longest = 0;
  for (std::size_t s = 0; s != streams_.size(); ++s) {
    tokens_ += streams_[s].size;
    streams_[s].file.expect_scattered_reads();
    if (by_document)
      add_documents(s);
    else
      add_piece({s, streams_[s].first, streams_[s].size});
  }
  for (const Place& piece : pieces_) longest = std::max(longest, piece.size);
  if (size() == 0)
    throw DataError(name_of(settings_.part, source) + ": " + std::to_string(longest) +
                    (by_document ? " tokens in the longest document, a sample needs 2"
                                 : " tokens are less than one sequence, which needs " +
                                       std::to_string(length_ + 1) + " (sequence_length + 1)"));
  if (settings_.documents == Documents::joined || by_document) return;
  for (const Stream& stream : streams_) {
    auto& starts = starts_.emplace_back();
    for (const token_files::TokenSpan& d : documents_of(stream.file, "documents: isolated"))
      starts.push_back(d.first);
  }
}

// Full ones, and of documents what is left if it has a target.
std::int64_t TokenWindows::samples_in(std::int64_t tokens) const {
  if (tokens < 2) return 0;
  const std::int64_t never_targets = stride() - length_;  // of a full one: its first token, or none
  const std::int64_t all = tokens - 1 + never_targets;
  return (settings_.cut == Cut::stream ? all : all + length_ - 1) / stride();
}

void TokenWindows::add_documents(std::size_t s) {
  const Stream& stream = streams_[s];
  const std::int64_t end = stream.first + stream.size;
  for (const token_files::TokenSpan& d : documents_of(stream.file, "cut: documents")) {
    const std::int64_t from = std::max(d.first, stream.first), to = std::min(d.first + d.size, end);
    if (to > from) add_piece({s, from, to - from});
  }
}

void TokenWindows::add_piece(const Place& piece) {
  pieces_.push_back(piece);
  ends_.push_back(size() + samples_in(piece.size));
}

TokenWindows::Place TokenWindows::place(std::int64_t index) const {
  if (index < 0 || index >= size())
    throw Error(ErrorCode::bad_argument, "sample " + std::to_string(index) +
                                             " is out of range: there are " +
                                             std::to_string(size()));
  const auto found = std::upper_bound(ends_.begin(), ends_.end(), index);
  const std::int64_t before = found == ends_.begin() ? 0 : *(found - 1);
  const Place& piece = pieces_[static_cast<std::size_t>(found - ends_.begin())];
  const std::int64_t skipped = (index - before) * stride();
  return {piece.stream, piece.first + skipped, std::min(length_ + 1, piece.size - skipped)};
}

// A short one is filled up with its last token.
Array TokenWindows::tokens_of(const Place& from) const {
  Array tokens{"tokens", DType::int64, {length_ + 1}, {}};
  tokens.data.resize(static_cast<std::size_t>(length_ + 1) * sizeof(std::int64_t));
  auto* const out = reinterpret_cast<std::int64_t*>(tokens.data.data());
  streams_[from.stream].file.read_scattered(from.first, from.size, out);
  std::fill(out + from.size, out + length_ + 1, out[from.size - 1]);
  return tokens;
}

Array TokenWindows::mask_of(const Place& from) const {
  Array mask{"mask", DType::boolean, {length_}, {}};
  mask.data.assign(static_cast<std::size_t>(length_), std::byte(0));
  std::fill_n(mask.data.begin(), from.size - 1, std::byte(1));
  return mask;
}

// Counted from the document in which the sample begins.
Array TokenWindows::document_ids_of(const Place& from) const {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(length_ + 1));
  if (!starts_.empty()) {
    const std::vector<std::int64_t>& starts = starts_[from.stream];
    auto next = std::upper_bound(starts.begin(), starts.end(), from.first);
    std::int64_t document = 0;
    for (std::int64_t i = 0; i != length_ + 1; ++i) {
      if (next != starts.end() && *next == from.first + i) ++document;
      while (next != starts.end() && *next <= from.first + i) ++next;
      ids[static_cast<std::size_t>(i)] = document;
    }
  }
  return array_of("document_ids", DType::int64, ids);
}

std::vector<Sample> TokenWindows::read(std::span<const std::int64_t> indices) const {
  std::vector<Sample> samples;
  samples.reserve(indices.size());
  for (const std::int64_t index : indices) {
    const Place from = place(index);
    Sample& sample = samples.emplace_back();
    sample.arrays.push_back(tokens_of(from));
    if (settings_.cut == Cut::documents) sample.arrays.push_back(mask_of(from));
    if (settings_.documents == Documents::isolated) sample.arrays.push_back(document_ids_of(from));
  }
  return samples;
}

std::string place_text(const std::string& file, std::int64_t first, std::int64_t count) {
  return file + ", tokens " + std::to_string(first) + ".." + std::to_string(first + count - 1);
}

}  // namespace mortise::windows
