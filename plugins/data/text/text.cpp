// Data set of text files: plain text, one document each, and JSONL, one document in each record.
// They are packed once into a cache and read from there, like packed_tokens.

#include <mortise/data/dataset.hpp>
#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>

#include "../corpus/input_files.hpp"
#include "../corpus/packer.hpp"
#include "../windows/file_facts.hpp"
#include "../windows/hold_out.hpp"
#include "../windows/token_windows.hpp"
#include "pack_cache.hpp"

namespace {

using mortise::field;

class Text final : public mortise::Dataset {
 public:
  struct Config : mortise::windows::WindowSettings {
    std::vector<std::string_view> files;
    std::string_view text_key = "text";
    mortise::Tokenizer* tokenizer = nullptr;
    std::optional<std::string_view> cache;

    static constexpr auto settings() {
      return std::tuple_cat(
          mortise::fields(
              field("files", &Config::files)
                  .path()
                  .single()
                  .required()
                  .doc("text files: .jsonl has a document in each record, any other file is one "
                       "document; also compressed by gzip or zstd; patterns with * and folders are "
                       "allowed"),
              field("field", &Config::text_key)
                  .doc(
                      "text of a JSONL record: a key, a path such as .meta.body, or several joined "
                      "by +"),
              field("tokenizer", &Config::tokenizer)
                  .defaults_to("tokenizer")
                  .doc("makes tokens of the text")),
          mortise::windows::window_fields<Config>(),
          mortise::fields(field("cache", &Config::cache)
                              .path()
                              .doc("folder for packed copies; default: mortise/packed in the "
                                   "user's cache folder")));
    }
  };

  Text(const Config& config, mortise::Context& context) : Text(config, context, packed(config)) {}

  mortise::DatasetInfo info() const override { return info_; }
  std::int64_t size() const override { return windows_.size(); }
  std::vector<mortise::Sample> read(std::span<const std::int64_t> indices) const override {
    return windows_.read(indices);
  }

  std::string where(std::int64_t index) const override {
    const auto place = windows_.place(index);
    std::int64_t first = place.first;
    std::size_t source = 0;
    while (source + 1 < sources_.size() && first >= sources_[source].tokens)
      first -= sources_[source++].tokens;
    return mortise::windows::place_text(sources_[source].file, first, place.size);
  }

 private:
  struct Packed {
    std::vector<mortise::token_files::TokenFile> file;  // one
    std::vector<mortise::pbin::SideFile::Source> sources;
  };

  Text(const Config& config, mortise::Context& context, Packed packed)
      : sources_(std::move(packed.sources)),
        info_(mortise::windows::facts_of(packed.file)),
        windows_(mortise::windows::streams_of(std::move(packed.file), config.part, config.hold_out),
                 config, name_of(sources_)) {
    info_.source = name_of(sources_);
    const std::string notice =
        mortise::windows::narrow(info_, windows_, config.part, config.hold_out);
    if (!notice.empty()) context.logger().warning(notice);
  }

  static std::string name_of(const std::vector<mortise::pbin::SideFile::Source>& sources) {
    const std::string first = sources.front().file;
    if (sources.size() == 1) return first;
    return first + " and " + std::to_string(sources.size() - 1) + " more";
  }

  static Packed packed(const Config& config) {
    const std::vector<std::string> files = mortise::corpus::text_files(config.files);
    const std::string path = mortise::text::cached(
        mortise::text::cache_folder(config.cache.value_or("")),
        mortise::text::cache_key(files, *config.tokenizer, config.text_key),
        config.tokenizer->vocabulary_size(),
        [&](mortise::pbin::PbinWriter& writer) { pack(files, config, writer); });
    Packed packed;
    packed.file.emplace_back(path);
    packed.sources = sources_of(path, files);
    return packed;
  }

  static void pack(const std::vector<std::string>& files, const Config& config,
                   mortise::pbin::PbinWriter& writer) {
    mortise::corpus::PackOptions options;
    options.field = mortise::corpus::field_expression(config.text_key);
    mortise::corpus::Packer packer(*config.tokenizer, options, writer);
    packer.pack(files);
    writer.finish(packer.side_file());
  }

  // With the names that the files have now: equal contents share one packed copy.
  static std::vector<mortise::pbin::SideFile::Source> sources_of(
      const std::string& packed_path, const std::vector<std::string>& files) {
    const auto side = mortise::pbin::read_side_file(packed_path);
    if (!side || side->sources.size() != files.size())
      throw mortise::DataError(mortise::pbin::side_path(packed_path) +
                               " does not belong to these files: remove it and " + packed_path);
    std::vector<mortise::pbin::SideFile::Source> sources = side->sources;
    for (std::size_t i = 0; i != files.size(); ++i) sources[i].file = files[i];
    return sources;
  }

  std::vector<mortise::pbin::SideFile::Source> sources_;
  mortise::DatasetInfo info_;
  mortise::windows::TokenWindows windows_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.text", MORTISE_VERSION,
               mortise::component<Text, mortise::Dataset>(
                   "text", "plain text and JSONL files, packed once into a cache"));
