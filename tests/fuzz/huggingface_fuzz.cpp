// Files tokenizer.json: those that are not refused encode texts, and decode what they gave.

#include <sys/mman.h>
#include <unistd.h>

#include <mortise/error.hpp>

#include "plugins/data/huggingface/text_encoder.hpp"
#include "tests/fuzz/json_mutator.hpp"

namespace {

using namespace mortise;

// A file in memory.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("tokenizer.json", MFD_CLOEXEC)) {}
  void write(const std::uint8_t* data, std::size_t size) const {
    if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, data, size, 0) != ::ssize_t(size))
      __builtin_trap();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

void encode_and_decode(const huggingface::TokenizerParts& parts) {
  const huggingface::TextEncoder encoder(parts);
  huggingface::TextEncoder::Work work;
  // One with each kind of thing that a step looks for, and bytes that are not UTF-8.
  for (const std::string_view text :
       {std::string_view(
            "Hello, world! abab  12\n<s> \u2581caf\u00e9 e\u0301\u00a0\uff21\U0001f600"),
        std::string_view("a\xff\x00 \xe2\x82", 6), std::string_view("   ")}) {
    bpe::IdList ids;
    try {
      encoder.encode(text, work, ids);
    } catch (const Error&) {  // no piece for a character, a regular expression without end
      continue;
    }
    const std::vector<std::uint32_t> all = ids.to_vector();
    for (const std::uint32_t id : all)
      if (id >= parts.end_id()) __builtin_trap();
    try {
      parts.decode(all, parts.special_roles());
    } catch (const Error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  file.write(data, size);
  try {
    const huggingface::TokenizerParts parts(huggingface::TokenizerFile::open_file(file.path()),
                                            huggingface::Spelled::token);
    encode_and_decode(parts);
  } catch (const DataError&) {  // refused
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return mortise::tests::mutate_json(data, size, most, seed);
}
