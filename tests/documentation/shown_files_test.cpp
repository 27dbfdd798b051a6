// What README.md and the pages of docs/ show as a file is that file.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Shown {
  std::string file, text;
};

// Every `<!-- file: PATH -->` with the fenced block after it.
std::vector<Shown> shown_files(const std::string& page) {
  constexpr std::string_view mark = "<!-- file: ";
  std::vector<Shown> all;
  for (std::size_t at = page.find(mark); at != std::string::npos; at = page.find(mark, at + 1)) {
    const std::size_t name = at + mark.size(), end = page.find(" -->", name);
    const std::size_t block = page.find('\n', page.find("```", end)) + 1;
    all.push_back(
        {page.substr(name, end - name), page.substr(block, page.find("```", block) - block)});
  }
  return all;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> all{fs::path(MORTISE_SOURCE_DIR) / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(MORTISE_SOURCE_DIR) / "docs"))
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  return all;
}

// A lambda in a block looks like a link.
std::string without_blocks(std::string page) {
  for (std::size_t at = page.find("```"); at != std::string::npos; at = page.find("```", at)) {
    const std::size_t end = page.find("```", at + 3);
    page.erase(at, end == std::string::npos ? end : end + 3 - at);
  }
  return page;
}

}  // namespace

TEST_CASE("documentation: files that are shown are the files that are tested") {
  int count = 0;
  for (const fs::path& page : pages())
    for (const Shown& shown : shown_files(text_of(page))) {
      CAPTURE(page);
      CAPTURE(shown.file);
      CHECK(shown.text == text_of(fs::path(MORTISE_SOURCE_DIR) / shown.file));
      ++count;
    }
  CHECK(count >= 2);
}

TEST_CASE("documentation: links between pages lead somewhere") {
  for (const fs::path& page : pages()) {
    const std::string text = without_blocks(text_of(page));
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      target = target.substr(0, target.find('#'));
      if (target.empty() || target.find("://") != std::string::npos) continue;
      CAPTURE(page);
      CAPTURE(target);
      CHECK(fs::exists(page.parent_path() / target));
    }
  }
}
