#include "token_writer.hpp"

#include "../pbin/pbin_writer.hpp"
#include "flat_writer.hpp"
#include "megatron_writer.hpp"

namespace mortise::token_files {

std::unique_ptr<TokenWriter> open_writer(const Target& target) {
  if (target.format == Format::pbin)
    return std::make_unique<pbin::PbinWriter>(target.path, bytes_of(target.element),
                                              pbin::PartialFile::Busy::fail);
  if (target.format == Format::megatron) return std::make_unique<MegatronWriter>(target);
  return std::make_unique<FlatWriter>(target);
}

Element element_for(Format format, std::int64_t vocabulary) {
  constexpr std::int64_t kMegatronShort = 65500;  // from here on Megatron takes four bytes
  const std::uint32_t width = pbin::bytes_per_token(vocabulary);
  switch (format) {
    case Format::plain:
      return Element::u16;
    case Format::megatron:
      return vocabulary < kMegatronShort ? Element::u16 : Element::i32;
    case Format::llm_c:
      return width == 4 ? Element::u32 : Element::u16;
    case Format::pbin:
    case Format::npy:
      break;
  }
  return unsigned_element(width);
}

}  // namespace mortise::token_files
