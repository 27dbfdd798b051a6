// Bad files in tests/fixtures/config, each with the text that it gives.

#include <doctest/doctest.h>

#include <sstream>

#include "tests/unit/config/run_folder.hpp"

using namespace mortise::tests;
namespace fs = std::filesystem;

namespace {

const fs::path kFixtures = fs::path(MORTISE_SOURCE_DIR) / "tests/fixtures/config";

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string error_of(const fs::path& file) {
  mortise::host::LoadRequest request;
  request.file = file.string();
  try {
    mortise::host::load_run_file(request, FakeCatalog());
  } catch (const mortise::host::Failure& failure) {
    return without(failure.what(), kFixtures.string() + "/") + "\n";
  }
  return "loaded without complaint\n";
}

}  // namespace

TEST_CASE("bad files: each gives the stored text") {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kFixtures)) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    fs::path expected = entry.path();
    expected.replace_extension(".expected");
    INFO(entry.path().filename().string());
    CHECK(error_of(entry.path()) == text_of(expected));
  }
  CHECK(files >= 60);
}

TEST_CASE("bad files: five mistakes are reported in one go, in order, each with line and caret") {
  const std::string error = error_of(kFixtures / "five_mistakes.yaml");
  CHECK(count(error, "error[") == 5);
  std::size_t last = 0;
  for (const char* part :
       {"did you mean steps?", "batch.sequence_length: `many`", "did you mean llama?",
        "did you mean weight_decay?", "did you mean schedule?"}) {
    CAPTURE(part);
    const std::size_t at = error.find(part);
    REQUIRE(at != std::string::npos);
    CHECK(at > last);
    last = at;
  }
}
