// What is lent for a call cannot be used after it.

#include <doctest/doctest.h>

#include <thread>

#include "tests/unit/sdk/echo_object.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;

std::string refusal(Listener& kept) {
  try {
    kept.heard("too late");
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::bad_argument);
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE(
    "lent: a reference that is kept beyond its call refuses, naming the interface and the cure") {
  EchoObject object;
  Remote<Echo> echo(kit::object_of<Echo>(object));
  CountingListener listener;
  CHECK(echo.tell(listener, "in time") == 1);
  REQUIRE(object.kept != &listener);
  const std::string message = refusal(*object.kept);
  CHECK(message.find("mortise::tests::Listener") != std::string::npos);
  CHECK(message.find("Context") != std::string::npos);
  CHECK(listener.count == 1);
}

TEST_CASE("lent: it refuses also while other references are lent, for the next seven calls") {
  EchoObject object;
  Remote<Echo> echo(kit::object_of<Echo>(object));
  CountingListener first, second;
  echo.tell(first, "first");
  Listener* const kept = object.kept;
  for (int i = 0; i != 7; ++i) {
    echo.tell(second, "second");
    REQUIRE(object.kept != kept);
    CHECK_FALSE(refusal(*kept).empty());
  }
  CHECK(first.count == 1);
  CHECK(second.count == 7);
}

TEST_CASE("lent: it refuses after a call that failed") {
  class Fails final : public Listener {
   public:
    std::int64_t heard(std::string_view) override { throw std::runtime_error("no"); }
  } fails;
  EchoObject object;
  Remote<Echo> echo(kit::object_of<Echo>(object));
  CHECK_THROWS_AS(echo.tell(fails, "x"), Error);
  CHECK_FALSE(refusal(*object.kept).empty());
}

TEST_CASE("lent: calls inside calls each have their own reference") {
  class Nested final : public Listener {
   public:
    explicit Nested(Echo& echo) : echo_(echo) {}
    std::int64_t heard(std::string_view text) override {
      if (text.size() > 20) return std::int64_t(text.size());
      return echo_.tell(*this, std::string(text) + "+");
    }

   private:
    Echo& echo_;
  };
  EchoObject object;
  Remote<Echo> echo(kit::object_of<Echo>(object));
  Nested nested(echo);
  CHECK(echo.tell(nested, "") == 21);
}

TEST_CASE("lent: each thread has references of its own") {
  EchoObject object;
  std::vector<std::thread> threads;
  std::array<std::int64_t, 4> heard{};
  for (std::size_t t = 0; t != heard.size(); ++t)
    threads.emplace_back([&heard, t] {
      EchoObject own;
      Remote<Echo> echo(kit::object_of<Echo>(own));
      CountingListener listener;
      for (int i = 0; i != 1000; ++i) heard[t] = echo.tell(listener, "x");
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::int64_t count : heard) CHECK(count == 1000);
}
