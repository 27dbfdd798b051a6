#include "file_facts.hpp"

#include <algorithm>
#include <cstdio>

#include "../pbin/side_file.hpp"

namespace mortise::windows {

namespace {

void check_side(const token_files::TokenFile& file, const pbin::SideFile& side,
                const DatasetInfo& before) {
  if (side.tokens >= 0 && side.tokens != file.tokens())
    throw DataError(pbin::side_path(file.path()) + " belongs to another file: it says " +
                    std::to_string(side.tokens) + " tokens, the file has " +
                    std::to_string(file.tokens()));
  if (!before.tokenizer_fingerprint.empty() && !side.tokenizer_fingerprint.empty() &&
      side.tokenizer_fingerprint != before.tokenizer_fingerprint)
    throw DataError(file.path() + " was packed with tokenizer " + side.tokenizer_fingerprint +
                    ", the files before it with " + before.tokenizer_fingerprint);
}

// The larger of two numbers, -1 when one of them is not known.
std::int64_t larger(std::int64_t a, std::int64_t b) { return a < 0 || b < 0 ? -1 : std::max(a, b); }

std::string percent_text(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g%%", share * 100);
  return text;
}

}  // namespace

DatasetInfo facts_of(const std::vector<token_files::TokenFile>& files) {
  DatasetInfo all;
  all.source = files.front().path();
  if (files.size() > 1) all.source += " and " + std::to_string(files.size() - 1) + " more";
  all.tokens = all.documents = all.vocabulary_size = all.largest_token = 0;
  for (const token_files::TokenFile& file : files) {
    const pbin::SideFile side = pbin::read_side_file(file.path()).value_or(pbin::SideFile{});
    check_side(file, side, all);
    all.tokens += file.tokens();
    all.documents = all.documents < 0 || side.documents < 0 ? -1 : all.documents + side.documents;
    all.vocabulary_size = larger(all.vocabulary_size, side.vocabulary_size);
    all.largest_token = larger(all.largest_token, side.largest_token);
    if (!side.tokenizer_fingerprint.empty()) all.tokenizer_fingerprint = side.tokenizer_fingerprint;
  }
  return all;
}

std::string narrow(DatasetInfo& info, const TokenWindows& windows, Part part,
                   const std::optional<Amount>& hold_out) {
  const double got = double(windows.tokens()) / double(info.tokens);
  info.tokens = windows.tokens();
  info.samples = windows.size();
  if (part != Part::all) info.documents = -1;
  if (part != Part::held_out) return {};
  const double asked = share_of(*hold_out);
  if (got <= 2 * asked && got >= asked / 2) return {};
  return info.source + ": hold_out " + percent_text(asked) + " became " + percent_text(got) +
         " of the tokens, since only whole documents are held out";
}

}  // namespace mortise::windows
