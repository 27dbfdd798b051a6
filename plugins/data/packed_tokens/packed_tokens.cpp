// Data set of token files (.pbin, Megatron, llm.c, nanoGPT, .npy), read in place: a memory map, no
// index in memory, open in constant time.

#include <mortise/data/dataset.hpp>
#include <mortise/plugin.hpp>

#include "../corpus/input_files.hpp"
#include "../token_files/token_file.hpp"
#include "../windows/file_facts.hpp"
#include "../windows/hold_out.hpp"
#include "../windows/token_windows.hpp"

namespace {

using mortise::field;
using mortise::windows::Part;

class PackedTokens final : public mortise::Dataset {
 public:
  struct Config {
    std::vector<std::string_view> files;
    std::int64_t sequence_length = 0;
    Part part = Part::all;
    std::optional<mortise::Amount> hold_out;

    static constexpr auto settings() {
      return mortise::fields(
          field("files", &Config::files)
              .path()
              .single()
              .required()
              .doc("token files: .pbin, .npy, .bin of nanoGPT or llm.c, .bin or .idx of Megatron; "
                   "patterns with * are allowed"),
          field("sequence_length", &Config::sequence_length)
              .at_least(1)
              .defaults_to("batch.sequence_length")
              .unit("tokens")
              .doc("inputs of one sample; one token more is read, the last target"),
          field("part", &Config::part)
              .choice("all", Part::all)
              .choice("train", Part::train)
              .choice("held_out", Part::held_out)
              .doc("which side of hold_out to read"),
          field("hold_out", &Config::hold_out)
              .amount()
              .doc("share that is held out, such as 5%: whole documents from the end, or the "
                   "tail of the only one"));
    }
  };

  PackedTokens(const Config& config, mortise::Context& context)
      : PackedTokens(config, context, open(mortise::corpus::expand(config.files))) {}

  mortise::DatasetInfo info() const override { return info_; }
  std::int64_t size() const override { return windows_.size(); }
  std::vector<mortise::Sample> read(std::span<const std::int64_t> indices) const override {
    return windows_.read(indices);
  }
  std::string where(std::int64_t index) const override {
    const auto place = windows_.place(index);
    return mortise::windows::place_text(place.stream->file.path(), place.first,
                                        windows_.tokens_per_sample());
  }

 private:
  using Files = std::vector<mortise::token_files::TokenFile>;

  PackedTokens(const Config& config, mortise::Context& context, Files files)
      : info_(mortise::windows::facts_of(files)),
        windows_(mortise::windows::streams_of(std::move(files), config.part, config.hold_out),
                 config.sequence_length, config.part, info_.source) {
    const std::string notice =
        mortise::windows::narrow(info_, windows_, config.part, config.hold_out);
    if (!notice.empty()) context.logger().warning(notice);
  }

  static Files open(const std::vector<std::string>& paths) { return {paths.begin(), paths.end()}; }

  mortise::DatasetInfo info_;
  mortise::windows::TokenWindows windows_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.packed_tokens", MORTISE_VERSION,
               mortise::component<PackedTokens, mortise::Dataset>(
                   "packed_tokens",
                   "token files in the formats of Modalities, Megatron, llm.c, nanoGPT and NumPy"));
