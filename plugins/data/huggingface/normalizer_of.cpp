#include "normalizer_of.hpp"

#include "../encoding/base64.hpp"

namespace mortise::huggingface {

namespace {

using normalizers::Form;
using normalizers::NormalizerPtr;

NormalizerPtr sequence_of(const Json& sequence) {
  std::vector<NormalizerPtr> steps;
  for (const Json& step : sequence.at("normalizers").items()) steps.push_back(normalizer_of(step));
  return normalizers::sequence(std::move(steps));
}

NormalizerPtr replace_of(const Json& replace) {
  const Json pattern = replace.at("pattern");
  const std::string to(replace.at("content").text());
  if (const auto literal = pattern.find("String")) {
    if (literal->text().empty()) literal->refuse("is empty: nothing can be replaced");
    return normalizers::replace(std::string(literal->text()), to);
  }
  const Json regex = pattern.at("Regex");
  return regex.made_by([&] { return normalizers::replace_regex(regex.text(), to); });
}

}  // namespace

normalizers::NormalizerPtr normalizer_of(const Json& normalizer) {
  const std::string_view type = normalizer.type();
  if (type == "Sequence") return sequence_of(normalizer);
  if (type == "NFC") return normalizers::unicode_form(Form::nfc);
  if (type == "NFD") return normalizers::unicode_form(Form::nfd);
  if (type == "NFKC") return normalizers::unicode_form(Form::nfkc);
  if (type == "NFKD") return normalizers::unicode_form(Form::nfkd);
  if (type == "Lowercase") return normalizers::lowercase();
  if (type == "Strip")
    return normalizers::strip(normalizer.flag("strip_left", true),
                              normalizer.flag("strip_right", true));
  if (type == "Prepend") return normalizers::prepend(std::string(normalizer.at("prepend").text()));
  if (type == "Replace") return replace_of(normalizer);
  if (type == "Precompiled") {
    const Json map = normalizer.at("precompiled_charsmap");
    auto bytes = encoding::from_base64(map.text());
    if (!bytes) map.refuse("is not base64");
    return map.made_by([&] { return normalizers::precompiled(std::move(*bytes)); });
  }
  normalizer.refuse_unsupported("the normalizer " + in_quotes(type));
}

}  // namespace mortise::huggingface
