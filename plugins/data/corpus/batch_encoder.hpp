#pragma once

// Makes tokens of a batch; each worker has one of its own.

#include <cstdint>
#include <mortise/data/tokenizer.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch_documents.hpp"
#include "packed_batch.hpp"
#include "text_batch.hpp"

namespace mortise::corpus {

// The ids that begin and end each document.
struct DocumentEdges {
  std::optional<std::uint32_t> begin, end;
};

class BatchEncoder {
 public:
  // `width`: bytes of a token.
  BatchEncoder(const Tokenizer& tokenizer, const FieldExpression& field, OnError on_error,
               DocumentEdges edges, std::uint32_t width);

  // Errors: DataError naming file and line; what the tokenizer throws.
  PackedBatch encode(const TextBatch& batch, const std::string& file);

 private:
  void take(std::string_view text, std::int64_t line);
  void encode_pending();
  void encode(const std::vector<std::string_view>& texts);
  void add_document(std::span<const std::uint32_t> ids, std::int64_t line);
  void append(std::span<const std::uint32_t> ids);
  void leave_out(std::int64_t line);

  const Tokenizer& tokenizer_;
  BatchDocuments documents_;
  OnError on_error_;
  std::int64_t vocabulary_size_;
  DocumentEdges edges_;
  std::uint32_t width_;
  // Texts that wait for encode, one after the other, where each of them ends, and their lines.
  std::string pending_;
  std::vector<std::size_t> breaks_;
  std::vector<std::int64_t> lines_;
  const std::string* file_ = nullptr;
  PackedBatch packed_;
};

}  // namespace mortise::corpus
