#include <zlib.h>

#include <mortise/error.hpp>

#include "decoder.hpp"

namespace mortise::corpus {

namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;  // as inflateInit2 has it

// A file may hold several members, one after the other, and zeros that fill a block of a tape.
class GzipDecoder final : public Decoder {
 public:
  GzipDecoder(RawInput& input, std::string_view first) : input_(input) {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK)
      throw Error(ErrorCode::out_of_memory, input_.path() + ": no memory for zlib");
    give(first);
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }

  std::size_t read(char* into, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0 && !refill()) break;
      if (!inside_ && !next_member()) continue;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        inside_ = false;
        inflateReset(&stream_);
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        throw DataError(input_.path() + ": broken gzip data" +
                        (stream_.msg != nullptr ? std::string(": ") + stream_.msg : ""));
      }
    }
    return size - stream_.avail_out;
  }

 private:
  void give(std::string_view block) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
    stream_.avail_in = static_cast<uInt>(block.size());
  }

  bool refill() {
    give(input_.next_block());
    if (stream_.avail_in == 0 && inside_)
      throw DataError(input_.path() + " is cut off: its gzip data has no end");
    return stream_.avail_in != 0;
  }

  bool next_member() {
    while (stream_.avail_in != 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    inside_ = stream_.avail_in != 0;
    return inside_;
  }

  RawInput& input_;
  z_stream stream_{};
  bool inside_ = false;  // of a member
};

}  // namespace

std::unique_ptr<Decoder> gzip_decoder(RawInput& input, std::string_view first) {
  return std::make_unique<GzipDecoder>(input, first);
}

}  // namespace mortise::corpus
