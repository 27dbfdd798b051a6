#include "id_blocks.hpp"

#include <algorithm>
#include <array>
#include <mortise/error.hpp>

namespace mortise::token_tools {

namespace {

constexpr std::int64_t kBlock = 1 << 13;  // tokens; both arrays stay in the first-level caches

[[noreturn]] void refuse(const Input& input, std::int64_t token, std::int64_t id,
                         std::uint64_t limit) {
  throw DataError(input.file.path() + ": token " + std::to_string(token) + " has id " +
                  std::to_string(id) + ", expected 0 to " + std::to_string(limit - 1) +
                  (input.side.vocabulary_size > 0 ? " (vocabulary_size of its side file)" : ""));
}

}  // namespace

void each_block(const Input& input, token_files::TokenSpan span,
                const std::function<void(std::span<const std::uint32_t>)>& each) {
  const std::uint64_t limit = input.side.vocabulary_size > 0
                                  ? std::uint64_t(input.side.vocabulary_size)
                                  : std::uint64_t(1) << 32;
  std::array<std::int64_t, kBlock> wide;
  std::array<std::uint32_t, kBlock> ids;
  for (std::int64_t done = 0; done != span.size;) {
    const std::int64_t count = std::min(kBlock, span.size - done), first = span.first + done;
    input.file.read(first, count, wide.data());
    for (std::int64_t i = 0; i != count; ++i) {
      const std::int64_t id = wide[std::size_t(i)];
      if (static_cast<std::uint64_t>(id) >= limit) refuse(input, first + i, id, limit);
      ids[std::size_t(i)] = static_cast<std::uint32_t>(id);
    }
    each({ids.data(), std::size_t(count)});
    done += count;
  }
}

}  // namespace mortise::token_tools
