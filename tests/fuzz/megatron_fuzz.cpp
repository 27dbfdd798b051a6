// Megatron's index. The first two bytes of the input are the size of the .bin file, which is made
// of zeros.

#include <mortise/error.hpp>

#include "plugins/data/token_files/bytes.hpp"
#include "plugins/data/token_files/megatron_index.hpp"
#include "tests/fuzz/read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mortise;
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string bin(token_files::number_at<std::uint16_t>(input, 0), '\0');
  const std::string path = "x.idx";
  try {
    const token_files::MegatronIndex index(input.substr(2), path, bin.size());
    fuzz::read_all(bin, index.layout());
    index.documents(fuzz::Documents(index.layout()));
    index.has_split_documents();
  } catch (const DataError&) {  // refused
  }
  return 0;
}
