#include "bpe_merges.hpp"

namespace mortise::huggingface {

namespace {

struct Parts {
  std::string_view left;
  std::string_view right;
};

class Reader {
 public:
  Reader(const Json& merges, const Vocabulary& vocabulary)
      : merges_(merges), vocabulary_(vocabulary) {}

  std::vector<bpe::Merge> read() {
    const simdjson::dom::array list = merges_.list();
    std::vector<bpe::Merge> all;
    all.reserve(list.size());
    for (const simdjson::dom::element item : list) {
      std::string_view line;
      const bool is_line = item.get(line) == simdjson::SUCCESS;
      const bool is_comment = is_line && line.substr(0, 8) == "#version";
      if (!is_comment)
        all.push_back(merge_of(is_line ? split(line) : pair(item), std::uint32_t(all.size())));
      ++at_;
    }
    if (all.empty()) merges_.refuse("is empty: nothing would ever merge");
    return all;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    Json(simdjson::dom::element(), merges_.path() + "[" + std::to_string(at_) + "]").refuse(what);
  }

  Parts split(std::string_view line) const {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.find(' ', blank + 1) != std::string_view::npos)
      refuse("is " + in_quotes(line) + ": expected two tokens with one blank between them");
    return {line.substr(0, blank), line.substr(blank + 1)};
  }

  Parts pair(simdjson::dom::element item) const {
    simdjson::dom::array list;
    Parts parts;
    if (item.get(list) != simdjson::SUCCESS || list.size() != 2 ||
        list.at(0).get(parts.left) != simdjson::SUCCESS ||
        list.at(1).get(parts.right) != simdjson::SUCCESS)
      refuse("is neither text nor a pair of tokens");
    return parts;
  }

  bpe::Merge merge_of(const Parts& parts, std::uint32_t rank) {
    merged_.assign(parts.left).append(parts.right);
    return {id_of(parts.left), id_of(parts.right), rank, id_of(merged_)};
  }

  std::uint32_t id_of(std::string_view token) const {
    const auto id = vocabulary_.find(token);
    if (!id) refuse("needs the token " + in_quotes(token) + ", which is not in the vocabulary");
    return *id;
  }

  const Json& merges_;
  const Vocabulary& vocabulary_;
  std::size_t at_ = 0;
  std::string merged_;
};

}  // namespace

std::vector<bpe::Merge> merges_of(const Json& merges, const Vocabulary& vocabulary) {
  return Reader(merges, vocabulary).read();
}

}  // namespace mortise::huggingface
