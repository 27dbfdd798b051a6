// The commands `data encode` and `data decode` as users get them.

#include <doctest/doctest.h>

#include <iostream>
#include <mortise/data/tokenizer.hpp>
#include <mortise/run/command.hpp>
#include <sstream>

#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

using namespace mortise::tests;
using mortise::Tokenizer;

namespace {

// What the command prints, given `input` on standard input.
std::string printed(const char* command, SettingList settings, const std::string& input = {}) {
  static const LoadedComponent bytes("byte_tokenizer", "byte");
  settings.emplace_back("tokenizer", bytes.object<Tokenizer>());
  std::istringstream in(input);
  std::ostringstream out;
  std::streambuf* const kept_in = std::cin.rdbuf(in.rdbuf());
  std::streambuf* const kept_out = std::cout.rdbuf(out.rdbuf());
  std::string failure;
  try {
    const LoadedComponent made("data_tools", command, std::move(settings));
    const std::int64_t exit_code = made.as<mortise::Command>().run();  // CHECK would catch
    CHECK(exit_code == 0);
  } catch (const mortise::Error& e) {
    failure = e.what();
  }
  std::cin.rdbuf(kept_in);
  std::cout.rdbuf(kept_out);
  return failure.empty() ? out.str() : "error: " + failure;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("data encode: the ids of a text, of standard input and of a file") {
  const ScratchFolder folder;
  CHECK(printed("data.encode", {{"text", "To be"}}) == "84 111 32 98 101\n");
  CHECK(printed("data.encode", {{"text", "To"}, {"json", true}}) == "{\"ids\": [84, 111]}\n");
  CHECK(printed("data.encode", {{"text", ""}}) == "\n");
  CHECK(printed("data.encode", {{"text", ""}, {"json", true}}) == "{\"ids\": []}\n");
  CHECK(printed("data.encode", {{"text", "-"}}, "a\n") == "97 10\n");
  CHECK(printed("data.encode", {{"file", folder.write("a", "x\xFF\n")}}) == "120 255 10\n");
}

TEST_CASE("data decode: exactly the bytes, from words, standard input and a file") {
  const ScratchFolder folder;
  CHECK(printed("data.decode", {{"ids", Words{"84", "111"}}}) == "To");
  CHECK(printed("data.decode", {{"ids", Words{"84 111"}}}) == "To");
  CHECK(printed("data.decode", {{"ids", Words{"-"}}}, "120 255\n 10 \t") == "x\xFF\n");
  CHECK(printed("data.decode", {{"file", folder.write("ids", "120 10\n")}}) == "x\n");
  CHECK(printed("data.decode", {{"file", folder.write("none", "")}}).empty());
  CHECK(printed("data.decode", {{"ids", Words{"34", "255"}}, {"json", true}}) ==
        "{\"text\": \"\\\"\uFFFD\"}\n");
}

TEST_CASE("data encode, data decode: what goes wrong says so") {
  const ScratchFolder folder;
  const auto wrong = [](const std::string& out, const char* reason) {
    CAPTURE(out);
    CHECK(out.starts_with("error: "));
    CHECK(contains(out, reason));
  };
  wrong(printed("data.encode", {}), "got none of them");
  wrong(printed("data.encode", {{"text", "a"}, {"file", "b"}}), "got two of them");
  wrong(printed("data.encode", {{"file", folder.path("none")}}), "No such file");
  wrong(printed("data.decode", {}), "got none of them");
  for (const char* word : {"257", "-1", "1.5", "12x", "x", "4294967297", "99999999999999999999"})
    wrong(printed("data.decode", {{"ids", Words{"84", word}}}),
          (std::string("id 2 is `") + word + "`: expected a number from 0 to 256").c_str());
}
