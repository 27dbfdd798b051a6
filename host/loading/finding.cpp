#include "host/loading/finding.hpp"

namespace mortise::host {
namespace {

// Names in a file may hold anything; a terminal must not obey them.
std::string visible(const std::string& text) {
  constexpr const char* digits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      result += c;
      continue;
    }
    result += "\\x";
    result += digits[byte >> 4];
    result += digits[byte & 15];
  }
  return result;
}

}  // namespace

std::string describe(const std::filesystem::path& file, const PluginFinding& finding) {
  const bool warns = finding.weight == PluginFinding::Weight::warning;
  return visible(file.string()) + (warns ? ": warning[" : ": error[") + finding.id +
         "]: " + visible(finding.what) + "\n  expected: " + visible(finding.expected) +
         "\n  got:      " + visible(finding.got) + "\n  do:       " + visible(finding.advice);
}

std::string describe(const std::filesystem::path& file,
                     const std::vector<PluginFinding>& findings) {
  std::string text;
  for (const PluginFinding& finding : findings) {
    if (!text.empty()) text += '\n';
    text += describe(file, finding);
  }
  return text;
}

std::string in_one_line(const PluginFinding& finding) {
  return finding.id + ": " + visible(finding.what) + " (expected " + visible(finding.expected) +
         ", got " + visible(finding.got) + "): " + visible(finding.advice);
}

std::string quoted_path(const std::filesystem::path& path) {
  return "`" + visible(path.string()) + "`";
}

}  // namespace mortise::host
