#include "byte_source.hpp"

#include <algorithm>
#include <cstring>
#include <mortise/error.hpp>
#include <utility>

#include "decoder.hpp"

namespace mortise::corpus {

namespace {

constexpr std::string_view kGzip("\x1F\x8B", 2), kZstd("\x28\xB5\x2F\xFD", 4);
constexpr std::string_view kGzipEndings[] = {".gz"}, kZstdEndings[] = {".zst", ".zstd"};

template <std::size_t N>
std::string_view ending_of(const std::string& path, const std::string_view (&endings)[N]) {
  for (const std::string_view ending : endings)
    if (path.ends_with(ending)) return ending;
  return {};
}

class PlainDecoder final : public Decoder {
 public:
  PlainDecoder(RawInput& input, std::string_view first) : input_(input), rest_(first) {}
  std::size_t read(char* into, std::size_t size) override {
    if (rest_.empty()) return input_.read(into, size);
    const std::size_t n = std::min(size, rest_.size());
    std::memcpy(into, rest_.data(), n);
    rest_.remove_prefix(n);
    return n;
  }

 private:
  RawInput& input_;
  std::string_view rest_;
};

std::unique_ptr<Decoder> decoder_of(RawInput& input) {
  const std::string_view first = input.next_block();
  if (first.starts_with(kGzip)) return gzip_decoder(input, first);
  if (first.starts_with(kZstd)) return zstd_decoder(input, first);
  if (!ending_of(input.path(), kGzipEndings).empty())
    throw DataError(input.path() + " is not in the gzip format, which its name says");
  if (!ending_of(input.path(), kZstdEndings).empty())
    throw DataError(input.path() + " is not in the zstd format, which its name says");
  return plain_decoder(input, first);
}

}  // namespace

std::unique_ptr<Decoder> plain_decoder(RawInput& input, std::string_view first) {
  return std::make_unique<PlainDecoder>(input, first);
}

ByteSource::ByteSource(std::string path, StopRequested stop)
    : raw_(std::move(path), std::move(stop)), decoder_(decoder_of(raw_)) {}
ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(char* into, std::size_t size) { return decoder_->read(into, size); }

bool is_compressed(std::string_view first_bytes) {
  return first_bytes.starts_with(kGzip) || first_bytes.starts_with(kZstd);
}

std::string without_compression(const std::string& path) {
  const std::size_t ending =
      ending_of(path, kGzipEndings).size() + ending_of(path, kZstdEndings).size();
  return path.substr(0, path.size() - ending);
}

}  // namespace mortise::corpus
