// Tables and structs of different releases meet: methods and members that were appended.

#include <doctest/doctest.h>

#include <mortise/data/array.hpp>

#include "tests/unit/sdk/counter_releases.hpp"
#include "tests/unit/sdk/echo_object.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;

// The call says not_supported, naming the type and its value.
template <class F>
void check_unknown(F call, const std::string& what) {
  CAPTURE(what);
  try {
    call();
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::not_supported);
    CHECK(std::string(e.what()).find(what + " is not known on this side") != std::string::npos);
  }
}

class NewerColours final : public EchoObject {
 public:
  Colour colour(Colour) const override { return Colour{8}; }
};

}  // namespace

TEST_CASE("evolution: a method that an older table does not have falls back to its default body") {
  DoublesAtOnce object;
  mt_object seen = kit::object_of<Counter>(object);
  Remote<Counter> current(seen);
  CHECK(current.twice(4) == 1008);  // its own override

  counter_v1 old = Remote<Counter>::table;
  old.head.struct_size = offsetof(counter_v1, twice);
  seen.table = &old.head;
  const Remote<Counter> older(seen);
  CHECK(older.next(4) == 5);
  CHECK(older.twice(4) == 6);  // next(next(4)), on this side
}

TEST_CASE("evolution: an appended method without a sensible default says not_supported") {
  DoublesAtOnce object;
  counter_v1 old = Remote<Counter>::table;
  old.head.struct_size = offsetof(counter_v1, reset);
  Remote<Counter> older({&old.head, static_cast<Counter*>(&object)});
  CHECK(older.twice(4) == 1008);
  try {
    older.reset();
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::not_supported);
  }
}

TEST_CASE("evolution: an empty slot counts as one that is not there") {
  DoublesAtOnce object;
  counter_v1 gap = Remote<Counter>::table;
  gap.twice = nullptr;
  const Remote<Counter> with_gap({&gap.head, static_cast<Counter*>(&object)});
  CHECK(with_gap.twice(4) == 6);
}

TEST_CASE("evolution: a method of the first release that a table leaves out is refused by name") {
  DoublesAtOnce object;
  counter_v1 gap = Remote<Counter>::table;
  gap.next = nullptr;
  counter_v1 cut = Remote<Counter>::table;
  cut.head.struct_size = sizeof(mt_head);
  for (const counter_v1* table : {&gap, &cut}) {
    Remote<Counter> counter({&table->head, static_cast<Counter*>(&object)});
    counter.set_name("odometer of org.mortise.fixture");
    try {
      counter.next(4);
      FAIL("nothing was thrown");
    } catch (const Error& e) {
      CHECK(e.code() == ErrorCode::not_supported);
      CHECK(std::string(e.what()) ==
            "odometer of org.mortise.fixture: next: the table of this mortise::tests::Counter "
            "leaves this method out; every table has it");
    }
  }
}

TEST_CASE("evolution: a table with more slots than this side knows is fine") {
  struct Newer {
    counter_v1 known;
    void (*unheard_of[4])();
  } newer{Remote<Counter>::table, {}};
  newer.known.head.struct_size = sizeof newer;
  DoublesAtOnce object;
  Remote<Counter> remote({&newer.known.head, static_cast<Counter*>(&object)});
  CHECK(remote.next(1) == 2);
  CHECK(remote.twice(1) == 1005);
  CHECK_NOTHROW(remote.reset());
}

TEST_CASE("evolution: a member that must not be ignored is refused by a receiver without it") {
  kit::Arena arena;
  WindowNow sent;
  sent.size = 4;
  const window_now plain = kit::lowering<WindowNow>::lower(sent, arena);
  CHECK(plain.head.needs == 0);
  CHECK(kit::lowering<WindowThen>::raise(as_then(plain)).size == 4);

  sent.stride = 2;  // not its default: changes the meaning
  const window_now needed = kit::lowering<WindowNow>::lower(sent, arena);
  CHECK(needed.head.needs == 1u << 3);
  try {
    kit::lowering<WindowThen>::raise(as_then(needed));
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(e.code() == ErrorCode::not_supported);
    CHECK(std::string(e.what()).find("WindowThen") != std::string::npos);
    CHECK(std::string(e.what()).find("group 3") != std::string::npos);
  }
  CHECK(kit::lowering<WindowNow>::raise(needed).stride == 2);
}

TEST_CASE("evolution: a member that may be ignored is") {
  kit::Arena arena;
  WindowNow sent;
  sent.size = 4;
  sent.note = "a hint";
  const window_now lowered = kit::lowering<WindowNow>::lower(sent, arena);
  CHECK(lowered.head.needs == 0);
  CHECK(kit::lowering<WindowThen>::raise(as_then(lowered)).size == 4);
  CHECK(kit::lowering<WindowNow>::raise(lowered).note == "a hint");
}

TEST_CASE("evolution: a newer receiver sees defaults in what an older sender gives") {
  kit::Arena arena;
  window_now received{};
  const window_then sent = kit::lowering<WindowThen>::lower({7}, arena);
  std::memcpy(static_cast<void*>(&received), &sent, sizeof sent);
  const WindowNow window = kit::lowering<WindowNow>::raise(received);
  CHECK(window.size == 7);
  CHECK(window.stride == 1);
  CHECK(window.note == "none");
}

TEST_CASE("evolution: a refused member inside a list or a result is refused too") {
  kit::Arena arena;
  WindowNow plain, odd;
  odd.stride = 3;
  const auto list = kit::lowering<std::vector<WindowNow>>::lower({plain, odd}, arena);
  const window_thens seen{reinterpret_cast<const window_then*>(list.data), list.size};
  CHECK_THROWS_AS(kit::lowering<std::vector<WindowThen>>::raise(seen), Error);

  kit::crossing<std::vector<WindowThen>>::Receiver receiver;
  receiver.slot()->put(receiver.slot()->self, seen);
  CHECK_THROWS_AS(receiver.take(), Error);
}

TEST_CASE("evolution: an enumerator that this side does not know is refused, both ways") {
  EchoObject object;
  const Remote<Echo> echo(kit::object_of<Echo>(object));
  CHECK(echo.colour(Colour::green) == Colour::green);
  for (const std::int32_t v : {-1, 8}) {
    const std::string name = "mortise::tests::Colour " + std::to_string(v);
    check_unknown([&] { echo.colour(Colour{v}); }, name);
    Point point;
    point.colour = Colour{v};
    check_unknown([&] { echo.point(point); }, name);
    check_unknown([&] { echo.points({Point{}, point}); }, name);
  }
  NewerColours newer;
  const Remote<Echo> remote(kit::object_of<Echo>(newer));
  check_unknown([&] { remote.colour(Colour::red); }, "mortise::tests::Colour 8");
}

TEST_CASE("evolution: an unknown enumerator in a list or an array is refused") {
  const std::vector<std::int64_t> edges = {1, 0, 2};
  CHECK(kit::lowering<std::vector<Edge>>::raise({edges.data(), 2}).front() == Edge::round);
  check_unknown(
      [&] {
        kit::lowering<std::vector<Edge>>::raise({edges.data(), 3});
      },
      "mortise::tests::Edge 2");
  kit::Arena arena;
  const Array none{"x", DType::boolean, {0}, {}};
  mt_array array = kit::lowering<Array>::lower(none, arena);
  CHECK(kit::lowering<Array>::raise(array).dtype == DType::boolean);
  ++array.dtype;
  check_unknown([&] { kit::lowering<Array>::raise(array); }, "mortise::DType 13");
}

TEST_CASE("evolution: a status that this side does not know is a failure with its text") {
  const kit::Failure failure;
  for (const mt_status status : {99, -3}) {
    try {
      failure.check(status);
      FAIL("nothing was thrown");
    } catch (const Error& e) {
      CHECK(e.code() == ErrorCode::failed);
    }
  }
}
