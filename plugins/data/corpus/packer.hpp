#pragma once

// Text files become packed tokens: documents in the order of the files, each followed by the
// tokenizer's end_of_document if it has one, and after its begin_of_document if asked for. The
// result is the same for any number of workers.

#include <cstdint>
#include <functional>
#include <mortise/data/tokenizer.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../pbin/pbin_writer.hpp"
#include "batch_encoder.hpp"
#include "batch_reader.hpp"
#include "field_expression.hpp"
#include "packed_batch.hpp"
#include "record_fault.hpp"
#include "text_format.hpp"

namespace mortise::corpus {

enum class EndOfDocument { when_known, none };

struct PackOptions {
  FieldExpression field;
  TextFormat format = TextFormat::by_name;
  EndOfDocument end = EndOfDocument::when_known;
  bool begin = false;  // each document with the tokenizer's begin_of_document
  OnError on_error = OnError::fail;
  int workers = 0;  // 0: one for each core that the process may use
  std::int64_t block_bytes = 64 << 20;
};

// How far packing has come.
struct PackProgress {
  std::int64_t raw_bytes = 0;   // of the files, before decompression
  std::int64_t text_bytes = 0;  // given to the tokenizer
  std::int64_t blank_lines = 0, skipped = 0, replaced = 0;
};

// Where packing stands between two batches; with the state of the writer, all that it takes to go
// on.
struct PackState {
  ReadPosition next;
  std::int64_t raw_bytes_before = 0;  // of the files before that of `next`
  PackProgress progress;
  std::vector<pbin::SideFile::Source> sources;  // of all files
};

// What others do meanwhile, all on the thread that calls pack(); each may be missing.
struct PackHooks {
  std::function<void(const PackProgress&)> progress;
  std::function<void(const PackState&)> block;  // after each PackOptions::block_bytes of text
  std::function<void(const std::string& report_line)> report;  // for each fault
  std::function<bool()> stop;
};

class Packer {
 public:
  // Errors: ConfigError for PackOptions::begin with a tokenizer that has no such token.
  Packer(const Tokenizer& tokenizer, PackOptions options, pbin::PbinWriter& writer,
         PackHooks hooks = {});

  // Goes on from there; to be called before pack(), whose files are the same.
  void resume(PackState state);

  // Whether all was packed; false after a stop.
  // Errors: DataError naming file and line; what the tokenizer throws.
  bool pack(const std::vector<std::string>& files);

  // What the side file says; counts of the packed file itself are left to the writer.
  // Errors: DataError when there was no document.
  pbin::SideFile side_file() const;

 private:
  void write(PackedBatch batch);
  void count(const PackedBatch& batch);

  const Tokenizer& tokenizer_;
  PackOptions options_;
  DocumentEdges edges_;
  pbin::PbinWriter& writer_;
  PackHooks hooks_;
  PackState state_;
  std::int64_t next_block_ = 0;  // bytes of text
};

}  // namespace mortise::corpus
