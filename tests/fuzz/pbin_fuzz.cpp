// Packed token files of Modalities: header and pickled index.

#include <mortise/error.hpp>

#include "plugins/data/pbin/pbin_layout.hpp"
#include "tests/fuzz/read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  try {
    const auto layout = mortise::pbin::pbin_layout(file, "x.pbin");
    mortise::fuzz::read_all(file, layout);
    mortise::pbin::pbin_documents(file, layout, "x.pbin", mortise::fuzz::Documents(layout));
  } catch (const mortise::DataError&) {  // refused
  }
  return 0;
}
