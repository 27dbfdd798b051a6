#include "token_windows.hpp"

#include <algorithm>
#include <utility>

namespace mortise::windows {

namespace {

std::int64_t windows_in(std::int64_t tokens, std::int64_t length) {
  return tokens < 1 ? 0 : (tokens - 1) / length;
}

std::string name_of(Part part, const std::string& source) {
  if (part == Part::train) return "what hold_out leaves of " + source;
  if (part == Part::held_out) return "what hold_out takes of " + source;
  return source;
}

}  // namespace

TokenWindows::TokenWindows(std::vector<Stream> streams, std::int64_t sequence_length, Part part,
                           const std::string& source)
    : streams_(std::move(streams)), length_(sequence_length) {
  std::int64_t longest = 0;
  for (const Stream& s : streams_) {
    tokens_ += s.size;
    longest = std::max(longest, s.size);
    ends_.push_back(samples_ += windows_in(s.size, length_));
  }
  if (samples_ == 0)
    throw DataError(name_of(part, source) + ": " + std::to_string(longest) +
                    " tokens are less than one sequence, which needs " +
                    std::to_string(length_ + 1) + " (sequence_length + 1)");
}

TokenWindows::Place TokenWindows::place(std::int64_t index) const {
  if (index < 0 || index >= samples_)
    throw Error(ErrorCode::bad_argument, "sample " + std::to_string(index) +
                                             " is out of range: there are " +
                                             std::to_string(samples_));
  const auto found = std::upper_bound(ends_.begin(), ends_.end(), index);
  const std::int64_t before = found == ends_.begin() ? 0 : *(found - 1);
  const Stream& stream = streams_[static_cast<std::size_t>(found - ends_.begin())];
  return {&stream, stream.first + (index - before) * length_};
}

std::vector<Sample> TokenWindows::read(std::span<const std::int64_t> indices) const {
  std::vector<Sample> samples;
  samples.reserve(indices.size());
  for (const std::int64_t index : indices) {
    const Place from = place(index);
    Array tokens{"tokens", DType::int64, {tokens_per_sample()}, {}};
    tokens.data.resize(static_cast<std::size_t>(tokens_per_sample()) * sizeof(std::int64_t));
    from.stream->file.read(from.first, tokens_per_sample(),
                           reinterpret_cast<std::int64_t*>(tokens.data.data()));
    samples.emplace_back().arrays.push_back(std::move(tokens));
  }
  return samples;
}

std::string place_text(const std::string& file, std::int64_t first, std::int64_t count) {
  return file + ", tokens " + std::to_string(first) + ".." + std::to_string(first + count - 1);
}

}  // namespace mortise::windows
