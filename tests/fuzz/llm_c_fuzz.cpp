// Token files of llm.c.

#include <mortise/error.hpp>

#include "plugins/data/token_files/llm_c_header.hpp"
#include "tests/fuzz/read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  try {
    mortise::fuzz::read_all(file, mortise::token_files::llm_c_layout(file, "x.bin"));
  } catch (const mortise::DataError&) {  // refused
  }
  return 0;
}
