#pragma once

// The documents of a batch, in order.

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "jsonl_record.hpp"
#include "record_fault.hpp"
#include "text_batch.hpp"

namespace mortise::corpus {

class BatchDocuments {
 public:
  BatchDocuments(const FieldExpression& field, OnError on_error);

  struct Found {
    std::int64_t blank_lines = 0;
    std::vector<RecordFault> faults;
  };
  using Take = std::function<void(std::string_view text, std::int64_t line)>;
  // Calls `take` with each text, lent for the call, and the line where it stands. `file` names the
  // place in errors.
  // Errors: DataError naming file and line, where faults are not skipped.
  Found for_each(const TextBatch& batch, const std::string& file, const Take& take);

 private:
  void take_record(std::string_view line, std::int64_t number);
  void take_whole(std::string_view text);
  void treat(std::int64_t line, const std::string& reason,
             const std::function<std::string_view()>& replacement);

  JsonlRecord record_;
  OnError on_error_;
  // Of the batch at hand.
  const std::string* file_ = nullptr;
  const Take* take_ = nullptr;
  Found found_;
};

}  // namespace mortise::corpus
