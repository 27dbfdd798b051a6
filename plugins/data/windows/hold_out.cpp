#include "hold_out.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mortise::windows {

namespace {

struct Place {
  std::size_t file;
  std::int64_t token;
};

std::int64_t total_of(const std::vector<token_files::TokenFile>& files) {
  std::int64_t total = 0;
  for (const token_files::TokenFile& file : files) total += file.tokens();
  return total;
}

// Starts of documents from the last to the first; what stands before the first belongs to it.
std::vector<std::int64_t> starts_from_the_end(const token_files::TokenFile& file) {
  std::vector<std::int64_t> starts;
  for (const token_files::TokenSpan& document : file.documents()) starts.push_back(document.first);
  if (starts.empty()) starts.push_back(0);
  starts.front() = 0;
  std::reverse(starts.begin(), starts.end());
  return starts;
}

// The tail's first place: at the start of a document, or inside the only one there is.
Place find_cut(const std::vector<token_files::TokenFile>& files, std::int64_t wanted) {
  const std::int64_t total = total_of(files);
  std::int64_t behind = 0;  // tokens of the files after the current one
  std::optional<Place> latest;
  for (std::size_t f = files.size(); f-- != 0; behind += files[f].tokens()) {
    if (files[f].tokens() == 0) continue;
    for (const std::int64_t start : starts_from_the_end(files[f])) {
      const std::int64_t held = behind + files[f].tokens() - start;
      if (held == total && !latest) return {f, files[f].tokens() - wanted};
      if (held > 0 && held < total) latest = Place{f, start};
      if (held >= wanted && latest) return *latest;
    }
  }
  return {0, 0};  // no tokens at all
}

}  // namespace

double share_of(const Amount& hold_out) {
  if (hold_out.unit != Amount::Unit::percent)
    throw ConfigError("hold_out: expected a percentage such as 5%");
  if (!(hold_out.value > 0 && hold_out.value < 100))
    throw ConfigError("hold_out: expected more than 0% and less than 100%, got " +
                      std::to_string(hold_out.value) + "%");
  return hold_out.value / 100;
}

std::vector<std::int64_t> cuts(const std::vector<token_files::TokenFile>& files, double share) {
  const auto wanted = static_cast<std::int64_t>(std::ceil(double(total_of(files)) * share));
  const Place cut = find_cut(files, wanted);
  std::vector<std::int64_t> all;
  for (std::size_t f = 0; f != files.size(); ++f)
    all.push_back(f < cut.file ? files[f].tokens() : f > cut.file ? 0 : cut.token);
  return all;
}

std::vector<Stream> streams_of(std::vector<token_files::TokenFile> files, Part part,
                               const std::optional<Amount>& hold_out) {
  if (part != Part::all && !hold_out)
    throw ConfigError("part: train and held_out need hold_out, the share that is held out");
  std::vector<std::int64_t> cut;
  if (part != Part::all) cut = cuts(files, share_of(*hold_out));
  std::vector<Stream> streams;
  for (std::size_t f = 0; f != files.size(); ++f) {
    const std::int64_t tokens = files[f].tokens();
    const std::int64_t first = part == Part::held_out ? cut[f] : 0;
    const std::int64_t end = part == Part::train ? cut[f] : tokens;
    streams.push_back({std::move(files[f]), first, end - first});
  }
  return streams;
}

}  // namespace mortise::windows
