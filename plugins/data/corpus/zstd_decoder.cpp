#include <zstd.h>

#include <mortise/error.hpp>

#include "decoder.hpp"

namespace mortise::corpus {

namespace {

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

// A file may hold several frames. Memory for one is bounded by libzstd: 128 MiB.
class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder(RawInput& input, std::string_view first)
      : input_(input), stream_(ZSTD_createDStream()), in_{first.data(), first.size(), 0} {
    if (!stream_) throw Error(ErrorCode::out_of_memory, input_.path() + ": no memory for zstd");
  }

  std::size_t read(char* into, std::size_t size) override {
    ZSTD_outBuffer out{into, size, 0};
    while (out.pos == 0) {
      // Decompressed bytes may be left in the stream after all input has been taken.
      if (in_.pos == in_.size && !holds_more_ && !refill()) break;
      const std::size_t left = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(left) != 0)
        throw DataError(input_.path() + ": broken zstd data: " + ZSTD_getErrorName(left));
      inside_ = left != 0;
      holds_more_ = inside_ && out.pos == out.size;
    }
    return out.pos;
  }

 private:
  bool refill() {
    const std::string_view block = input_.next_block();
    in_ = {block.data(), block.size(), 0};
    if (block.empty() && inside_)
      throw DataError(input_.path() + " is cut off: its zstd data has no end");
    return !block.empty();
  }

  RawInput& input_;
  std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
  ZSTD_inBuffer in_;
  bool inside_ = false, holds_more_ = false;
};

}  // namespace

std::unique_ptr<Decoder> zstd_decoder(RawInput& input, std::string_view first) {
  return std::make_unique<ZstdDecoder>(input, first);
}

}  // namespace mortise::corpus
