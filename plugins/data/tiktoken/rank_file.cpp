#include "rank_file.hpp"

#include <algorithm>
#include <charconv>
#include <mortise/error.hpp>
#include <optional>

#include "../bpe/token_map.hpp"
#include "../encoding/base64.hpp"

namespace mortise::tiktoken {

namespace {

constexpr std::uint32_t kMostTokens = 1 << 22;
constexpr std::size_t kLongestToken = 1024;
constexpr std::size_t kMostShown = 40;

class RankReader {
 public:
  explicit RankReader(std::string_view file) : rest_(file) {}

  std::vector<std::string> run() {
    while (!rest_.empty()) read(next_line());
    for (unsigned byte = 0; byte != 256; ++byte) {
      const char c = static_cast<char>(byte);
      if (!known_.find({&c, 1}))
        throw DataError("no token for the byte " + std::to_string(byte) +
                        ": expected one for each of the 256 bytes");
    }
    return std::move(tokens_);
  }

 private:
  std::string_view next_line() {
    ++line_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError("line " + std::to_string(line_) + ": " + what);
  }

  void read(std::string_view line) {
    if (line.empty()) return;
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos)
      refuse("expected a token in base64, a blank and its rank, got `" + shown(line) + "`");
    const std::uint32_t rank = rank_of(line.substr(blank + 1));
    add(token_of(line.substr(0, blank)), rank);
  }

  std::string token_of(std::string_view text) const {
    if (text == "=") return {};
    std::optional<std::string> token = encoding::from_base64(text);
    if (!token || token->empty()) refuse("expected a token in base64, got `" + shown(text) + "`");
    if (token->size() > kLongestToken)
      refuse("a token of " + std::to_string(token->size()) + " bytes, expected at most " +
             std::to_string(kLongestToken));
    return std::move(*token);
  }

  std::uint32_t rank_of(std::string_view text) const {
    std::uint32_t rank = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || rank >= kMostTokens)
      refuse("expected a rank below " + std::to_string(kMostTokens) + ", got `" + shown(text) +
             "`");
    return rank;
  }

  void add(std::string token, std::uint32_t rank) {
    if (rank >= lines_.size()) {
      lines_.resize(rank + 1);
      tokens_.resize(rank + 1);
    }
    if (lines_[rank] != 0)
      refuse("rank " + std::to_string(rank) + " is that of line " + std::to_string(lines_[rank]) +
             " already");
    if (!token.empty() && !known_.insert(token, rank))
      refuse("the token is that of line " + std::to_string(lines_[*known_.find(token)]) +
             " already");
    lines_[rank] = line_;
    tokens_[rank] = std::move(token);
  }

  static std::string shown(std::string_view text) {
    return std::string(text.substr(0, kMostShown));
  }

  std::string_view rest_;
  std::size_t line_ = 0;
  bpe::TokenMap known_;
  std::vector<std::size_t> lines_;  // where each rank stands, 0: nowhere
  std::vector<std::string> tokens_;
};

}  // namespace

std::vector<std::string> read_ranks(std::string_view file) { return RankReader(file).run(); }

}  // namespace mortise::tiktoken
