#pragma once

// What tokenizers do to a text before they cut it, each step with the results of the normalizer of
// that name in Hugging Face's `tokenizers`.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::normalizers {

// A text may become this long: steps that feed on each other would let it grow without end.
inline std::size_t most_bytes(std::size_t text) { return (std::size_t(1) << 20) + 64 * text; }
// Errors: Error(failed) if `text` is longer than that.
void check_size(const std::string& text, std::size_t most);

// Types:   text is valid UTF-8, before and after.
// Threads: immutable; any thread may call.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  // Errors: Error(failed) for a text that would be longer than most_bytes() of its size.
  void apply(std::string& text) const { change(text, most_bytes(text.size())); }
  // As apply(), with a limit of its own.
  virtual void change(std::string& text, std::size_t most) const = 0;
};
using NormalizerPtr = std::unique_ptr<const Normalizer>;

enum class Form { nfc, nfd, nfkc, nfkd };

NormalizerPtr unicode_form(Form form);
NormalizerPtr lowercase();  // of each character alone: no rule for a final sigma
NormalizerPtr strip(bool left, bool right);
NormalizerPtr prepend(std::string content);  // an empty text stays empty
NormalizerPtr replace(std::string from, std::string to);
// `pattern`: a regular expression; `to` is taken as it stands. Errors: DataError.
NormalizerPtr replace_regex(std::string_view pattern, std::string to);
// `charsmap`: the bytes of a SentencePiece model's precompiled_charsmap. Errors: DataError.
NormalizerPtr precompiled(std::string charsmap);
NormalizerPtr sequence(std::vector<NormalizerPtr> steps);

}  // namespace mortise::normalizers
