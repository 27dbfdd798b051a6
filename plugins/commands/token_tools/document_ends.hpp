#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mortise::token_tools {

// Whether a file without an index of documents could still tell them apart: each ends with the id
// `end_id`, which stands nowhere else; the last one may do without.
class DocumentEnds {
 public:
  // `end_id`: -1 where none is known; then one document alone can be told. `path`: of the input.
  DocumentEnds(std::int64_t end_id, std::string path);

  // Errors: DataError naming the first document that could not be told from its neighbours.
  void begin();
  void add(std::span<const std::uint32_t> ids);
  void end();

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::int64_t end_id_;
  std::string path_;
  std::int64_t document_ = -1, size_ = 0;
  bool ended_ = true;  // the end id was the last one seen
};

}  // namespace mortise::token_tools
