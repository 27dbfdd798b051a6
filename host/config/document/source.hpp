#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/setting.hpp"

namespace mortise::host {

class Findings;

// Limits on what is read; a file beyond one is refused, never cut.
inline constexpr std::size_t kMaxFileBytes = 16u << 20;
inline constexpr std::size_t kMaxScalarBytes = 4u << 20;
inline constexpr std::size_t kMaxValues = 100'000;           // of one file, aliases expanded
inline constexpr std::size_t kMaxExpandedBytes = 64u << 20;  // text in them, aliases expanded
inline constexpr int kMaxDepth = 64;
inline constexpr int kMaxFiles = 64;  // included files of one run

// One text that settings come from. Text is UTF-8 without byte-order mark, lines end in \n.
class Source {
 public:
  // In the order in which findings are printed.
  enum class Kind { file, include, site, defaults, set, option };

  Source(Kind kind, std::string name, std::filesystem::path folder, std::string text);

  Kind kind() const { return kind_; }
  bool is_file() const { return kind_ < Kind::set; }
  const std::string& name() const { return name_; }                // as the user wrote it
  const std::filesystem::path& folder() const { return folder_; }  // of relative paths in it
  const std::string& text() const { return text_; }
  int order() const { return order_; }
  void set_order(int order) { order_ = order; }

  // Line `number` from 1 without its end; empty past the end.
  std::string_view line(int number) const;
  std::size_t offset(int line) const;

 private:
  Kind kind_;
  std::string name_;
  std::filesystem::path folder_;
  std::string text_;
  std::vector<std::size_t> starts_;
  int order_ = 0;
};

// A spot in a source; column and length in characters from 1.
struct Place {
  const Source* source = nullptr;
  int line = 1;
  int column = 1;
  int length = 1;
};

Location location(const Place& place);
// "run.yaml:31:3"; "--set" for an override.
std::string describe(const Place& place);

// Owns the sources of one load; places and nodes point to them.
class Sources {
 public:
  const Source& add(Source source);
  std::size_t size() const { return sources_.size(); }

  // Reads, judges (size, UTF-8, control characters) and keeps a file. Null after a finding.
  // `asked` is where the file is named, for a file that cannot be read.
  const Source* read(Source::Kind kind, const std::filesystem::path& file, const std::string& name,
                     const Place& asked, Findings& findings);

 private:
  std::deque<Source> sources_;
};

// Number of characters in UTF-8 text.
int count_characters(std::string_view text);
// What makes `text` unusable: "" or the reason, with the byte where it is in `offset`.
std::string judge_text(std::string_view text, std::size_t& offset);

}  // namespace mortise::host
