// NumPy's array files.

#include <mortise/error.hpp>

#include "plugins/data/token_files/npy_header.hpp"
#include "tests/fuzz/read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  try {
    mortise::fuzz::read_all(file, mortise::token_files::npy_layout(file, "x.npy"));
  } catch (const mortise::DataError&) {  // refused
  }
  return 0;
}
