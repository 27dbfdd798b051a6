// Every type that may cross, in place and through a table.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <mortise/data/array.hpp>

#include "sdk/conformance/both_ways.hpp"
#include "tests/no_failures.hpp"
#include "tests/unit/sdk/echo_object.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;
using namespace std::string_literals;

Figure full_figure() {
  Figure f;
  f.name = "figure \u00fc";
  f.centre = {-3, 0.5, "centre", false, Colour::green};
  f.corners = {{1, 1, "a", true, Colour::red}, {}, {2, -1, "", false, Colour::green}};
  f.sizes = {1, -2, std::numeric_limits<std::int64_t>::max()};
  f.weights = {0.1, -0.0, std::numeric_limits<double>::infinity()};
  f.ids = {0, 0xffffffffu};
  f.labels = {"", "one", std::string(3000, 'x')};
  f.attributes = {{"causal", true},
                  {"count", std::int64_t(-5)},
                  {"scale", 0.25},
                  {"kind", "rms"s},
                  {"nested", Values{{"deep", Values{{"deeper", 1.5}}}, {"empty", Values{}}}}};
  return f;
}

void check_numbers(Echo& e, Report& r) {
  r.expect(e.flag(true) && !e.flag(false), "bool");
  r.expect(e.colour(Colour::green) == Colour::green, "enum");
  for (const std::int64_t v : {std::int64_t(0), std::numeric_limits<std::int64_t>::min()})
    r.expect(e.integer(v) == v, "int64");
  r.expect(e.bits(~std::uint64_t(0)) == ~std::uint64_t(0), "uint64");
  for (const double v : {-0.0, 0.1, std::numeric_limits<double>::infinity()})
    r.expect(e.number(v) == v, "double");
  r.expect(std::signbit(e.number(-0.0)), "double: minus zero");
  r.expect(std::isnan(e.number(std::numeric_limits<double>::quiet_NaN())), "double: not a number");
}

void check_lists(Echo& e, Report& r) {
  for (const std::string& v : {""s, "text"s, "a\0b"s, std::string(100000, 'y')})
    r.expect(e.text(v) == v, "text");
  r.expect(e.text(std::string_view()).empty(), "text: a view of nothing");
  const std::vector<std::uint32_t> ids{0, 7, 0xffffffffu};
  const std::vector<std::int64_t> integers{-1, 0, 1};
  const std::vector<double> numbers{0.5, -2};
  r.expect(e.ids(ids) == ids && e.ids({}).empty(), "list of uint32");
  r.expect(e.integers(integers) == integers && e.integers({}).empty(), "list of int64");
  r.expect(e.numbers(numbers) == numbers && e.numbers({}).empty(), "list of double");
  r.expect(e.texts({"a", "", "long text"}) == std::vector<std::string>{"a", "", "long text"},
           "list of texts");
  r.expect(e.texts({}).empty(), "list of no texts");
}

void check_structs(Echo& e, Report& r) {
  const Point point{9, 2.5, "p", false, Colour::green};
  r.expect(e.point(point) == point && e.point({}) == Point{}, "struct");
  r.expect(e.points({point, {}, point}) == std::vector<Point>{point, {}, point}, "list of structs");
  r.expect(e.points({}).empty(), "list of no structs");
  r.expect(e.maybe(point) == point && !e.maybe(std::nullopt), "optional struct");
  r.expect(e.figure(full_figure()) == full_figure(),
           "struct with structs, lists and values inside");
  r.expect(e.figure({}) == Figure{}, "struct of defaults");
  r.expect(e.attribute({{"a", std::int64_t(4)}}, "a") == 4, "values");
}

void check_objects(Echo& e, Report& r) {
  CountingListener listener;
  r.expect(e.tell(listener, "hello") == 1 && e.tell(listener, "again") == 2,
           "another component, lent");
  r.expect(listener.last == "again", "another component hears what it is told");
  Remote<Listener> proxy(kit::object_of<Listener>(listener));
  r.expect(e.tell(proxy, "third") == 3, "a proxy is handed on");
  const std::unique_ptr<Listener> made = e.make();
  r.expect(made->heard("x") == 1 && made->heard("y") == 2, "an object that a method made");
  e.nothing();
}

}  // namespace

TEST_CASE("crossing: every type arrives as it was sent, in place and crossed") {
  EchoObject object;
  Report report;
  conformance::both_ways<Echo>(object, report, [&](Echo& echo) {
    report.section("numbers", [&] { check_numbers(echo, report); });
    report.section("lists", [&] { check_lists(echo, report); });
    report.section("structs", [&] { check_structs(echo, report); });
    report.section("objects", [&] { check_objects(echo, report); });
  });
  check_no_failures(report);
}

TEST_CASE("crossing: a proxy of a proxy calls the object itself") {
  EchoObject object;
  Remote<Echo> first(kit::object_of<Echo>(object));
  const mt_object through = kit::object_of<Echo>(first);
  CHECK(through.self == static_cast<Echo*>(&object));
  CHECK(through.table == &Remote<Echo>::table.head);
  CHECK(object.remote() == nullptr);
  CHECK(first.remote()->self == through.self);
}

TEST_CASE("crossing: what a method made is destroyed once, by the side that made it") {
  EchoObject object;
  Remote<Echo> echo(kit::object_of<Echo>(object));
  {
    const std::unique_ptr<Listener> a = echo.make();
    std::unique_ptr<Listener> b = echo.make();
    CHECK(object.destroyed == 0);
    const std::unique_ptr<Listener> moved = std::move(b);
    CHECK(moved->heard("still there") == 1);
    CHECK(object.destroyed == 0);
  }
  CHECK(object.destroyed == 2);
}

TEST_CASE("crossing: a method that made nothing gives nothing") {
  class MakesNothing final : public EchoObject {
    std::unique_ptr<Listener> make() override { return nullptr; }
  } object;
  Remote<Echo> echo(kit::object_of<Echo>(object));
  CHECK(echo.make() == nullptr);
}

TEST_CASE("crossing: lists step by the size that the sender says") {
  struct Grown {  // a later release of echo_point
    echo_point known;
    std::int64_t more[3];
  };
  std::vector<Grown> sent(3);
  for (std::size_t i = 0; i != sent.size(); ++i) {
    sent[i].known.head = {sizeof(Grown), 0};
    sent[i].known.x = std::int64_t(i) * 10;
    sent[i].known.name = kit::text("n");
    sent[i].more[2] = -1;
  }
  const auto received = kit::lowering<std::vector<Point>>::raise({&sent[0].known, sent.size()});
  REQUIRE(received.size() == 3);
  for (std::size_t i = 0; i != 3; ++i) CHECK(received[i].x == std::int64_t(i) * 10);
}

TEST_CASE("crossing: a shorter struct of an older sender leaves defaults in place") {
  echo_point old{};
  old.head.struct_size = offsetof(echo_point, weight);  // only x
  old.x = 5;
  old.weight = 99;
  const Point point = kit::lowering<Point>::raise(old);
  CHECK(point == Point{5});
}

TEST_CASE("crossing: an array with strides arrives contiguous, one of the wrong size is refused") {
  const std::int64_t memory[6] = {0, 1, 2, 3, 4, 5};
  const std::int64_t shape[2] = {3, 2}, strides[2] = {1, 3};  // the transpose of [2, 3]
  mt_array c{};
  c.head = kit::head_of<mt_array>();
  c.name = kit::text("tokens");
  c.dtype = std::int32_t(DType::int64);
  c.shape = {shape, 2};
  c.data = memory;
  c.bytes = sizeof memory;
  const Array plain = kit::lowering<Array>::raise(c);
  CHECK(std::vector<std::int64_t>(plain.as<std::int64_t>(), plain.as<std::int64_t>() + 6) ==
        std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  c.strides = {strides, 2};
  const Array turned = kit::lowering<Array>::raise(c);
  CHECK(std::vector<std::int64_t>(turned.as<std::int64_t>(), turned.as<std::int64_t>() + 6) ==
        std::vector<std::int64_t>{0, 3, 1, 4, 2, 5});
  c.strides = {};
  c.bytes = 8;
  CHECK_THROWS_AS(kit::lowering<Array>::raise(c), ShapeError);
}
