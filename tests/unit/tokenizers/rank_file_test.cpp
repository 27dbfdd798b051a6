#include "plugins/data/tiktoken/rank_file.hpp"

#include <doctest/doctest.h>

#include <mortise/error.hpp>

#include "plugins/data/encoding/base64.hpp"
#include "small_ranks.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

using namespace mortise::tests;
using mortise::tiktoken::read_ranks;

TEST_CASE("base64: bytes of every length, and nothing for what is none (RFC 4648, 10)") {
  using mortise::encoding::from_base64;
  CHECK(from_base64("") == "");
  CHECK(from_base64("Zg==") == "f");
  CHECK(from_base64("Zm8=") == "fo");
  CHECK(from_base64("Zm9v") == "foo");
  CHECK(from_base64("Zm9vYmFy") == "foobar");
  CHECK(from_base64("+/+/") == "\xfb\xff\xbf");
  for (const char* bad : {"Z", "Zg", "Zg=", "Zg===", "=", "====", "Zh==", "Zm9=", "Z m8", "Zm-v",
                          "Zg==Zg==", "Zm8=\n"})
    CHECK_MESSAGE(!from_base64(bad).has_value(), bad);
}

TEST_CASE("rank file: tokens stand at their rank, with gaps, line ends of two kinds and `=`") {
  const std::vector<std::string> tokens =
      read_ranks(small_ranks({"ab"}) + "\r\n" + "YWJj 300\r\n\n= 301");
  REQUIRE(tokens.size() == 302);
  CHECK(tokens[0] == std::string(1, '\0'));
  CHECK(tokens[255] == "\xff");
  CHECK(tokens[256] == "ab");
  CHECK(tokens[257].empty());
  CHECK(tokens[300] == "abc");
  CHECK(tokens[301].empty());
}

TEST_CASE("rank file: what is wrong is refused with its line") {
  const auto refusal = [](const std::string& file) {
    return message_of<mortise::DataError>([&] { read_ranks(file); });
  };
  const std::string good = small_ranks();
  REQUIRE(refusal(good).empty());
  struct Row {
    std::string file;
    const char* reason;
  };
  for (const Row& row :
       {Row{"", "no token for the byte 0"},
        Row{good.substr(0, 9), "line 2: expected a token in base64, a blank"},
        Row{good.substr(0, good.size() - 4), "line 256: expected a rank"},
        Row{good + "YWI=", "line 257: expected a token in base64, a blank and its rank"},
        Row{good + "YWI= ", "line 257: expected a rank below 4194304, got ``"},
        Row{good + "YWI= x", "line 257: expected a rank"},
        Row{good + "YWI= -1", "line 257: expected a rank"},
        Row{good + "YWI= 4194304", "line 257: expected a rank"},
        Row{good + "YWI= 99999999999999999999", "line 257: expected a rank"},
        Row{good + "YWI= 256 7", "line 257: expected a rank"},
        Row{good + "Y!I= 256", "line 257: expected a token in base64, got `Y!I=`"},
        Row{good + " 256", "line 257: expected a token in base64, got ``"},
        Row{good + "YWI= 12", "line 257: rank 12 is that of line 13 already"},
        Row{good + "YQ== 256", "line 257: the token is that of line 98 already"},
        Row{good + rank_line(std::string(1025, 'a'), 256), "line 257: a token of 1025 bytes"},
        Row{std::string("\x7f"
                        "ELF\0\0",
                        6),
            "line 1: expected a token"},
        Row{std::string(1 << 20, 'A'), "line 1: expected a token in base64, a blank"}}) {
    CAPTURE(row.reason);
    const std::string message = refusal(row.file);
    CHECK(contains(message, row.reason));
    CHECK(message.size() < 200);
  }
}
