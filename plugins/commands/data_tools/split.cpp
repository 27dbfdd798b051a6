#include "split.hpp"

#include <algorithm>
#include <vector>

namespace mortise::data_tools {

namespace {

constexpr std::int64_t kChunkTokens = 1 << 18;

void copy(const token_files::TokenFile& from, std::int64_t first, std::int64_t end,
          pbin::PbinWriter& to) {
  std::vector<std::int64_t> tokens;
  while (first < end) {
    const std::int64_t count = std::min(kChunkTokens, end - first);
    tokens.resize(static_cast<std::size_t>(count));
    from.read(first, count, tokens.data());
    to.add(std::vector<std::uint32_t>(tokens.begin(), tokens.end()));
    first += count;
  }
  to.end_document();
}

}  // namespace

void split(const token_files::TokenFile& all, std::int64_t cut, pbin::PbinWriter& train,
           pbin::PbinWriter& held_out) {
  for (const token_files::TokenSpan& document : all.documents()) {
    const std::int64_t first = document.first, end = document.first + document.size;
    if (first < cut) copy(all, first, std::min(end, cut), train);
    if (end > cut) copy(all, std::max(first, cut), end, held_out);
  }
}

}  // namespace mortise::data_tools
