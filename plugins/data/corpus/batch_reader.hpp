#pragma once

// Cuts the texts of files into batches.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "byte_source.hpp"
#include "text_batch.hpp"
#include "text_format.hpp"

namespace mortise::corpus {

// A place in a list of files where a batch ends.
struct ReadPosition {
  std::size_t source = 0;
  std::int64_t offset = 0;  // bytes of the text, after decompression
  std::int64_t line = 1;
};

class BatchReader {
 public:
  BatchReader(std::vector<std::string> files, TextFormat format, StopRequested stop = {});

  // Begins there instead of at the start; what lies before is decompressed again, not parsed.
  // Errors: DataError when the file ends before.
  void skip_to(const ReadPosition& position);

  // The next batch, nothing after the last one. A file without text gives an empty batch, so that
  // every file is accounted for.
  // Errors: DataError naming the file.
  std::optional<TextBatch> next();

 private:
  void open();
  void close();
  std::size_t fill(TextBuffer& buffer, std::size_t target);
  TextBatch lines();
  TextBatch whole();
  TextBatch batch_of(TextBuffer buffer, bool ends);

  std::vector<std::string> files_;
  TextFormat format_;
  StopRequested stop_;
  std::size_t source_ = 0;
  std::unique_ptr<ByteSource> open_;
  std::string carry_;  // begin of a line whose end has not been read
  std::int64_t offset_ = 0, line_ = 1, raw_before_ = 0;
};

}  // namespace mortise::corpus
