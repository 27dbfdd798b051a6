// Command `data pack`: text files become one packed token file (.pbin), or two when a part is held
// out, each with its side file.

#include <unistd.h>

#include <iostream>
#include <mortise/data/tokenizer.hpp>
#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>

#include "../../data/corpus/input_files.hpp"
#include "../../data/corpus/packer.hpp"
#include "../../data/windows/hold_out.hpp"
#include "progress.hpp"
#include "split.hpp"

namespace {

using mortise::field;
using mortise::corpus::EndOfDocument;
using mortise::pbin::MappedFile;
using mortise::pbin::PartialFile;
using mortise::pbin::PbinWriter;
using mortise::pbin::SideFile;

constexpr std::string_view kEnding = ".pbin";

std::string with_suffix(const std::string& out, std::string_view suffix) {
  return out.substr(0, out.size() - kEnding.size()) + std::string(suffix) + std::string(kEnding);
}

std::string plural(std::int64_t n, const std::string& word) {
  return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
}

std::string summary(const PbinWriter& writer) {
  return plural(writer.documents(), "document") + ", " + plural(writer.tokens(), "token") + ", " +
         plural(writer.tokens() * writer.width(), "byte") + " in " + writer.path();
}

class DataPack final : public mortise::Command {
 public:
  struct Config {
    std::vector<std::string_view> inputs;
    mortise::Tokenizer* tokenizer = nullptr;
    std::string_view text_key = ".text";
    EndOfDocument eod = EndOfDocument::when_known;
    std::optional<mortise::Amount> hold_out;
    std::string_view out;
    bool overwrite = false;

    static constexpr auto settings() {
      return mortise::fields(
          field("inputs", &Config::inputs)
              .path()
              .single()
              .positional()
              .required()
              .doc("text files: .jsonl has a document in each record, any other file is one "
                   "document; patterns with * are allowed"),
          field("tokenizer", &Config::tokenizer).required().doc("makes tokens of the text"),
          field("field", &Config::text_key).doc("key of the text in a JSONL record: .text or text"),
          field("eod", &Config::eod)
              .choice("auto", EndOfDocument::when_known)
              .choice("none", EndOfDocument::none)
              .doc("whether the tokenizer's end_of_document, if it has one, ends each document"),
          field("hold_out", &Config::hold_out)
              .amount()
              .doc(
                  "share that goes into a file of its own, OUT.held_out.pbin: whole documents from "
                  "the end, or the tail of the only one"),
          field("out", &Config::out)
              .path()
              .required()
              .short_name('o')
              .doc("the packed file, NAME.pbin"),
          field("overwrite", &Config::overwrite).doc("replace a packed file that is there"));
    }
  };

  explicit DataPack(const Config& config) : config_(config), out_(config.out) {
    if (!out_.ends_with(kEnding) || out_.size() == kEnding.size())
      throw mortise::ConfigError("out: expected a name that ends in .pbin, got " + out_);
    refuse_to_replace(out_);
    if (config_.hold_out) {
      share_ = mortise::windows::share_of(*config_.hold_out);
      refuse_to_replace(with_suffix(out_, ".held_out"));
    }
  }

  std::int64_t run() override {
    std::vector<MappedFile> files;
    for (const std::string& path : mortise::corpus::expand(config_.inputs))
      files.emplace_back(path);
    if (share_)
      pack_and_split(files);
    else
      pack_whole(files);
    return 0;
  }

 private:
  void refuse_to_replace(const std::string& path) const {
    if (!config_.overwrite && ::access(path.c_str(), F_OK) == 0)
      throw mortise::ConfigError(path + " is there already: give another name or --overwrite");
  }

  PbinWriter writer(const std::string& path) const {
    return {path, mortise::pbin::bytes_per_token(config_.tokenizer->vocabulary_size()),
            PartialFile::Busy::fail};
  }

  // Packs all files and finishes `into`.
  SideFile pack(const std::vector<MappedFile>& files, PbinWriter& into) {
    std::int64_t bytes = 0;
    for (const MappedFile& file : files) bytes += std::int64_t(file.bytes().size());
    mortise::data_tools::ProgressLine progress(bytes);
    std::string_view key = config_.text_key;
    if (key.starts_with('.')) key.remove_prefix(1);
    mortise::corpus::Packer packer(*config_.tokenizer, key, config_.eod, into,
                                   [&](std::int64_t done) { progress.show(done); });
    for (const MappedFile& file : files) packer.add(file);
    SideFile side = packer.side_file();
    into.finish(side);
    blank_lines_ = packer.blank_lines();
    return side;
  }

  void pack_whole(const std::vector<MappedFile>& files) {
    PbinWriter all = writer(out_);
    pack(files, all);
    all.publish();
    report(summary(all));
  }

  void pack_and_split(const std::vector<MappedFile>& files) {
    PbinWriter all = writer(with_suffix(out_, ".all"));  // never published
    SideFile side = pack(files, all);
    for (SideFile::Source& source : side.sources) source.documents = source.tokens = -1;
    std::vector<mortise::token_files::TokenFile> packed;
    packed.emplace_back(all.partial_path());
    PbinWriter train = writer(out_), held_out = writer(with_suffix(out_, ".held_out"));
    mortise::data_tools::split(packed[0], mortise::windows::cuts(packed, *share_)[0], train,
                               held_out);
    train.finish(side);
    held_out.finish(side);
    held_out.publish();
    train.publish();
    report(summary(train) + "; " + summary(held_out));
  }

  void report(const std::string& text) const {
    std::cout << text;
    if (blank_lines_ > 0) std::cout << "; " << plural(blank_lines_, "blank line") << " skipped";
    std::cout << std::endl;
  }

  Config config_;
  std::string out_;
  std::optional<double> share_;
  std::int64_t blank_lines_ = 0;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.data_tools", MORTISE_VERSION,
               mortise::component<DataPack, mortise::Command>(
                   "data.pack",
                   "packs text files into a token file\n\n"
                   "example:\n"
                   "  mortise data pack books/*.txt --tokenizer byte --hold-out 1% -o books.pbin"));
