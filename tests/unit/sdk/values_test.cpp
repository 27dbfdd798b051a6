// The attributes of layers: an open tree of named values.

#include <doctest/doctest.h>

#include <mortise/values.hpp>

using namespace mortise;
using namespace std::string_literals;

TEST_CASE("values: are read as what they are, an integer also as double") {
  const Values v{{"flag", true},
                 {"count", std::int64_t(3)},
                 {"scale", 0.5},
                 {"kind", "rms"s},
                 {"inner", Values{{"deep", std::int64_t(1)}}}};
  CHECK(v.get<bool>("flag"));
  CHECK(v.get<std::int64_t>("count") == 3);
  CHECK(v.get<double>("count") == 3.0);
  CHECK(v.get<double>("scale") == 0.5);
  CHECK(v.get<std::string>("kind") == "rms");
  CHECK(v.get<Values>("inner").get<std::int64_t>("deep") == 1);
  CHECK(v.get("absent", 7.5) == 7.5);
  CHECK(v.has("flag"));
  CHECK_FALSE(v.has("fla"));
}

TEST_CASE("values: an absent one and one of another type are refused, naming it") {
  const Values v{{"scale", 0.5}};
  for (const auto& ask :
       {+[](const Values& x) { static_cast<void>(x.get<bool>("scale")); },
        +[](const Values& x) { static_cast<void>(x.get<std::int64_t>("scale")); }}) {
    try {
      ask(v);
      FAIL("nothing was thrown");
    } catch (const Error& e) {
      CHECK(e.code() == ErrorCode::bad_argument);
      CHECK(std::string(e.what()).find("scale") != std::string::npos);
    }
  }
  CHECK_THROWS_AS(v.get<double>("absent"), Error);
}

TEST_CASE("values: setting a name again replaces it and keeps its place") {
  Values v{{"a", std::int64_t(1)}, {"b", std::int64_t(2)}};
  v.set("a", std::int64_t(3));
  v.set("c", true);
  REQUIRE(v.entries().size() == 3);
  CHECK(v.entries()[0].key == "a");
  CHECK(v.get<std::int64_t>("a") == 3);
  CHECK(v.entries()[2].key == "c");
  CHECK(v == Values{{"a", std::int64_t(3)}, {"b", std::int64_t(2)}, {"c", true}});
  CHECK_FALSE(v == Values{{"b", std::int64_t(2)}, {"a", std::int64_t(3)}, {"c", true}});
}

TEST_CASE("values: arrive as they were sent") {
  const Values v{{"flag", false},
                 {"count", std::int64_t(-1)},
                 {"scale", -0.5},
                 {"kind", ""s},
                 {"inner", Values{{"deep", Values{}}}}};
  kit::Arena arena;
  CHECK(kit::lowering<Values>::raise(kit::lowering<Values>::lower(v, arena)) == v);
  CHECK(kit::lowering<Values>::raise({nullptr, 0}) == Values{});
}

TEST_CASE("values: a kind that this side does not know is refused") {
  for (const std::uint64_t kind : {std::uint64_t(99), std::uint64_t(1) << 63 | MT_BOOL}) {
    const mt_value node{"attribute", kind, {}};
    try {
      kit::lowering<Values>::raise({&node, 1});
      FAIL("nothing was thrown");
    } catch (const Error& e) {
      CHECK(e.code() == ErrorCode::not_supported);
      CHECK(std::string(e.what()).find("attribute") != std::string::npos);
    }
  }
}
