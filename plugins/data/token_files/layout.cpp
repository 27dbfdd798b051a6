#include "layout.hpp"

namespace mortise::token_files {

std::uint32_t bytes_of(Element element) {
  switch (element) {
    case Element::u8:
    case Element::i8:
      return 1;
    case Element::u16:
    case Element::i16:
      return 2;
    case Element::u32:
    case Element::i32:
      return 4;
    case Element::u64:
    case Element::i64:
      break;
  }
  return 8;
}

Element unsigned_element(std::uint32_t bytes) {
  return bytes == 1 ? Element::u8 : bytes == 2 ? Element::u16 : Element::u32;
}

const char* name_of(Format format) {
  switch (format) {
    case Format::pbin:
      return ".pbin";
    case Format::megatron:
      return "Megatron";
    case Format::llm_c:
      return "llm.c";
    case Format::plain:
      return "nanoGPT";
    case Format::npy:
      break;
  }
  return ".npy";
}

}  // namespace mortise::token_files
