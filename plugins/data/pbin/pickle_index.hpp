#pragma once

// The index at the end of a .pbin file: a list of (offset, length) pairs as Python's pickle writes
// it. Reading runs nothing: only the opcodes of such a list are accepted.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::pbin {

struct IndexEntry {
  std::uint64_t offset = 0, length = 0;
  bool operator==(const IndexEntry&) const = default;
};

// Calls `each` for every pair in turn; memory does not grow with their number.
// Errors: DataError naming `file` and the byte of the pickle; what `each` throws.
void read_index(std::string_view pickle, const std::string& file,
                const std::function<void(const IndexEntry&)>& each);

// Writes what pickle.dumps(list, protocol=4) gives, the same bytes, so that equal data gives equal
// files whoever wrote them. Memory does not grow with the list.
class IndexWriter {
 public:
  explicit IndexWriter(std::function<void(std::string_view)> out);
  void add(const IndexEntry& entry);
  // To be called once, after the last entry.
  void end();

 private:
  void pair(const IndexEntry& entry);
  void number(std::uint64_t value);
  void object();
  void close_frame();

  std::function<void(std::string_view)> out_;
  std::string frame_;
  std::uint64_t entries_ = 0;
  IndexEntry first_;
};

// The list for documents that lie one after the other and end at `ends`.
void write_index(const std::vector<std::uint64_t>& ends,
                 const std::function<void(std::string_view)>& out);

}  // namespace mortise::pbin
