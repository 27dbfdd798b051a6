// What is thrown on one side arrives as mortise::Error on the other, with its type and text.

#include <doctest/doctest.h>

#include <mortise/context.hpp>
#include <mortise/plugin.hpp>

#include "tests/unit/sdk/echo_object.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;

struct Hidden {};  // no std::exception, of this file alone
class OwnError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The error that a crossed call gives when the method does `work`.
Error crossed(std::function<void()> work) {
  EchoObject object;
  object.work = std::move(work);
  Remote<Echo> echo(kit::object_of<Echo>(object));
  try {
    echo.nothing();
  } catch (const Error& e) {
    return e;
  }
  FAIL("nothing was thrown");
  return {ErrorCode::failed, ""};
}

struct NoServices {
  mt_context_v1 c{kit::head_of<mt_context_v1>(),
                  nullptr,
                  [](void*, const char*) -> mt_object {
                    return {nullptr, nullptr};
                  },
                  {"", 0},
                  1};
};

template <class Thrown>
class ThrowsInConstructor final : public Listener {
 public:
  ThrowsInConstructor() { throw Thrown{"while it was made"}; }
  std::int64_t heard(std::string_view) override { return 0; }
};

}  // namespace

TEST_CASE("errors: code, type and text of what was thrown arrive") {
  struct Row {
    std::function<void()> work;
    ErrorCode code;
    const char *type, *text;
  };
  const Row rows[] = {
      {[] { throw std::out_of_range("index 7"); }, ErrorCode::failed, "std::out_of_range",
       "index 7"},
      {[] { throw OwnError("own"); }, ErrorCode::failed, "(anonymous namespace)::OwnError", "own"},
      {[] { throw 42; }, ErrorCode::failed, "int", "threw something that is no std::exception"},
      {[] { throw 3.5; }, ErrorCode::failed, "double", "threw something that is no std::exception"},
      {[] { throw "text"; }, ErrorCode::failed, "char const*",
       "threw something that is no std::exception"},
      {[] { throw Hidden{}; }, ErrorCode::failed, "(anonymous namespace)::Hidden",
       "threw something that is no std::exception"},
      {[] { throw std::bad_alloc(); }, ErrorCode::out_of_memory, "std::bad_alloc",
       "std::bad_alloc"},
      {[] { throw ConfigError("setting"); }, ErrorCode::bad_settings, "mortise::ConfigError",
       "setting"},
      {[] { throw ShapeError("shape"); }, ErrorCode::bad_argument, "mortise::ShapeError", "shape"},
      {[] { throw DataError("data"); }, ErrorCode::bad_data, "mortise::DataError", "data"},
      {[] { throw Error(ErrorCode::lost_rank, "peer"); }, ErrorCode::lost_rank, "mortise::Error",
       "peer"},
  };
  for (const Row& row : rows) {
    const Error e = crossed(row.work);
    CAPTURE(std::string(row.type));
    CHECK(e.code() == row.code);
    CHECK(e.type() == row.type);
    CHECK(std::string(e.what()) == row.text);
  }
}

TEST_CASE("errors: an error that passes two boundaries keeps its type and trace") {
  const Error e = crossed([] {
    EchoObject inner;
    inner.work = [] { throw Error(ErrorCode::storage, "disk", "c10::Error", "a trace"); };
    Remote<Echo>(kit::object_of<Echo>(inner)).nothing();
  });
  CHECK(e.code() == ErrorCode::storage);
  CHECK(e.type() == "c10::Error");
  CHECK(e.trace() == "a trace");
}

TEST_CASE("errors: a trace that is appended to the text is cut off and kept apart") {
  const Error e = crossed([] {
    throw std::runtime_error(
        "shapes do not fit\nException raised from check at file.cpp:1\nframe #0");
  });
  CHECK(std::string(e.what()) == "shapes do not fit");
  CHECK(e.trace() == "\nException raised from check at file.cpp:1\nframe #0");
}

TEST_CASE("errors: a proxy that has a name says who was called and how") {
  EchoObject object;
  object.work = [] { throw DataError("no such file"); };
  Remote<Echo> echo(kit::object_of<Echo>(object));
  echo.set_name("echo of org.example.echo");
  try {
    echo.nothing();
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(std::string(e.what()) == "echo of org.example.echo: nothing: no such file");
    CHECK(e.type() == "mortise::DataError");
  }
  const auto names = Remote<Echo>::Methods::names();
  CHECK(names.front() == "flag");
  CHECK(names[13] == "figure");
  CHECK(names.back() == "nothing");
}

TEST_CASE("errors: a long message and one with bytes of zero arrive whole") {
  const std::string text = std::string(100000, 'm');
  CHECK(std::string(crossed([&] { throw std::runtime_error(text); }).what()) == text);
}

TEST_CASE("errors: a call that failed leaves the object as usable as before") {
  EchoObject object;
  int calls = 0;
  object.work = [&] {
    if (++calls == 1) throw std::runtime_error("once");
  };
  Remote<Echo> echo(kit::object_of<Echo>(object));
  CHECK_THROWS_AS(echo.nothing(), Error);
  CHECK_NOTHROW(echo.nothing());
  CHECK(echo.integer(3) == 3);
}

TEST_CASE("errors: what a constructor throws is a failed create") {
  const NoServices services;
  void* made = nullptr;
  kit::Failure failure;
  const auto& create = kit::Component<ThrowsInConstructor<ConfigError>, Listener>::create;
  try {
    failure.check(create({nullptr, 0}, &services.c, &made, failure.sink()));
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::bad_settings);
    CHECK(std::string(e.what()) == "while it was made");
  }
  CHECK(made == nullptr);
}

TEST_CASE("errors: a service that the host does not offer is named") {
  const NoServices services;
  Context context(services.c);
  CHECK_FALSE(context.has<Echo>());
  try {
    context.service<Echo>();
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::not_supported);
    CHECK(std::string(e.what()).find("test/echo/1") != std::string::npos);
  }
}
