// SentencePiece models that pass our check: the library, which trusts them, loads them and encodes.

#include <sentencepiece_processor.h>

#include <mortise/error.hpp>

#include "plugins/data/sentencepiece/model_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view model(reinterpret_cast<const char*>(data), size);
  try {
    mortise::sentencepiece_model::check_model(model);
  } catch (const mortise::DataError&) {
    return 0;
  }
  sentencepiece::SentencePieceProcessor processor;
  if (!processor.LoadFromSerializedProto(model).ok()) return 0;
  std::vector<int> ids;
  std::string text;
  processor.Encode(std::string_view("Hello, \xff\xef\xbc\xa1\0 e\xcc\x81\n", 16), &ids)
      .IgnoreError();
  processor.Decode(ids, &text).IgnoreError();
  return 0;
}
