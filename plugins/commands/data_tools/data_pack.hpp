#pragma once

// Command `data pack`: text files become one packed token file (.pbin), or two when a part is held
// out, each with its side file.

#include <cstdint>
#include <memory>
#include <mortise/data/tokenizer.hpp>
#include <mortise/run/command.hpp>
#include <mortise/settings.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../data/corpus/packer.hpp"
#include "fault_report.hpp"
#include "interrupt.hpp"
#include "pack_journal.hpp"
#include "progress.hpp"

namespace mortise::data_tools {

class DataPack final : public Command {
 public:
  struct Config {
    std::vector<std::string_view> inputs;
    Tokenizer* tokenizer = nullptr;
    std::string_view text_key = ".text";
    corpus::TextFormat format = corpus::TextFormat::by_name;
    corpus::EndOfDocument eod = corpus::EndOfDocument::when_known;
    bool bod = false;
    corpus::OnError on_error = corpus::OnError::fail;
    std::optional<Amount> hold_out;
    std::int64_t workers = 0;
    std::string_view out;
    bool overwrite = false;
    bool resume = false;
    std::int64_t block = 64 << 20;
    bool json = false;

    static constexpr auto settings() {
      return fields(
          field("inputs", &Config::inputs)
              .single()
              .positional()
              .required()
              .doc("text files, also compressed by gzip or zstd, folders, patterns with *, or - "
                   "for standard input"),
          field("tokenizer", &Config::tokenizer)
              .required()
              .doc("makes tokens of the text: a name, a file, a folder or a run file"),
          field("field", &Config::text_key)
              .doc("text of a JSONL record: .text, .meta.body, .title + \"\\n\" + .body, or a key"),
          field("format", &Config::format)
              .choice("auto", corpus::TextFormat::by_name)
              .choice("jsonl", corpus::TextFormat::jsonl)
              .choice("text", corpus::TextFormat::plain)
              .doc("jsonl: a document in each line; text: each file is one; auto: jsonl for files "
                   "named .jsonl or .ndjson and for standard input"),
          field("eod", &Config::eod)
              .choice("auto", corpus::EndOfDocument::when_known)
              .choice("none", corpus::EndOfDocument::none)
              .doc("whether the tokenizer's end_of_document, if it has one, ends each document"),
          field("bod", &Config::bod)
              .doc("begin each document with the tokenizer's begin_of_document"),
          field("on_error", &Config::on_error)
              .choice("fail", corpus::OnError::fail)
              .choice("skip", corpus::OnError::skip)
              .choice("replace", corpus::OnError::replace)
              .doc("what to do with a record that has no text: end, leave it out, or put U+FFFD "
                   "for what is no Unicode and an empty document for what is no text; the last two "
                   "list it in OUT.dropped.jsonl"),
          field("hold_out", &Config::hold_out)
              .amount()
              .doc(
                  "share that goes into a file of its own, OUT.held_out.pbin: whole documents from "
                  "the end, or the tail of the only one"),
          field("workers", &Config::workers)
              .between(0, 1024)
              .doc("threads that make tokens; 0: one for each core; the result is the same"),
          field("out", &Config::out)
              .path()
              .required()
              .short_name('o')
              .doc("the packed file, NAME.pbin"),
          field("overwrite", &Config::overwrite).doc("replace a packed file that is there"),
          field("resume", &Config::resume)
              .doc("go on at the last full block of an interrupted job with the same settings; "
                   "what it had done stays also after an error"),
          field("block", &Config::block)
              .bytes()
              .at_least(1)
              .doc("text after which a job is ready to be gone on with"),
          field("json", &Config::json)
              .doc("print progress and result as JSON lines, for programs"));
    }
  };

  explicit DataPack(const Config& config);

  std::int64_t run() override;

 private:
  void refuse_to_replace(const std::string& path) const;
  pbin::PbinWriter writer(const std::string& path) const;
  pbin::PbinWriter resumed_writer(const std::string& path);
  PackJournal::Job job() const;
  corpus::PackOptions options() const;
  bool pack(pbin::PbinWriter& into);
  void save(const corpus::PackState& state, pbin::PbinWriter& into);
  void leave(pbin::PbinWriter& into);
  bool pack_whole();
  bool pack_and_split();
  void show(const corpus::PackProgress& done, const pbin::PbinWriter& into);
  void tell(const std::vector<const pbin::PbinWriter*>& written) const;
  void tell_json(const std::vector<const pbin::PbinWriter*>& written) const;
  std::int64_t tell_interrupted(const Interrupt& interrupt) const;

  Config config_;
  std::string out_;
  std::optional<double> share_;
  std::vector<std::string> files_;
  // Of the run.
  std::unique_ptr<Progress> progress_;
  std::unique_ptr<FaultReport> report_;
  std::unique_ptr<PackJournal> journal_;  // none where the input cannot be read again
  std::string left_;                      // where what is done stays
  Work work_;
  corpus::PackProgress done_;
  pbin::SideFile side_;
};

}  // namespace mortise::data_tools
