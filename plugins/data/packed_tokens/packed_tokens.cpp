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

class PackedTokens final : public mortise::Dataset {
 public:
  struct Config : mortise::windows::WindowSettings {
    std::vector<std::string_view> files;

    static constexpr auto settings() {
      return std::tuple_cat(
          mortise::fields(
              field("files", &Config::files)
                  .path()
                  .single()
                  .required()
                  .doc("token files: .pbin, .npy, .bin of nanoGPT or llm.c, .bin or .idx of "
                       "Megatron; patterns with * are allowed")),
          mortise::windows::window_fields<Config>());
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
    return mortise::windows::place_text(windows_.stream(place.stream).file.path(), place.first,
                                        place.size);
  }

 private:
  using Files = std::vector<mortise::token_files::TokenFile>;

  PackedTokens(const Config& config, mortise::Context& context, Files files)
      : info_(mortise::windows::facts_of(files)),
        windows_(mortise::windows::streams_of(std::move(files), config.part, config.hold_out),
                 config, info_.source) {
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
