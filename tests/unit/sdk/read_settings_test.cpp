// A settings tree becomes a Config.

#include <doctest/doctest.h>

#include "tests/unit/sdk/echo_object.hpp"
#include "tests/unit/sdk/every_setting.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using Nodes = std::vector<mt_value>;

mt_value boolean(const char* key, bool v) { return {key, MT_BOOL, {.i = v}}; }
mt_value integer(const char* key, std::int64_t v) { return {key, MT_INT, {.i = v}}; }
mt_value number(const char* key, double v) { return {key, MT_FLOAT, {.f = v}}; }
mt_value text(const char* key, const char* v) { return {key, MT_TEXT, {.text = kit::text(v)}}; }
mt_value list(const char* key, const Nodes& v) {
  return {key, MT_LIST, {.items = {v.data(), v.size()}}};
}
mt_value map(const char* key, const Nodes& v) {
  return {key, MT_MAP, {.items = {v.data(), v.size()}}};
}
mt_value none(const char* key) { return {key, MT_NONE, {}}; }
mt_value object(const char* key, Listener& l) {
  return {key, MT_COMPONENT, {.object = kit::object_of<Listener>(l)}};
}

class Read {
 public:
  explicit Read(const Nodes& nodes)
      : context(c_), config(kit::read<EverySetting>({nodes.data(), nodes.size()}, context)) {}

 private:
  mt_context_v1 c_{kit::head_of<mt_context_v1>(),
                   nullptr,
                   [](void*, const char*) -> mt_object {
                     return {nullptr, nullptr};
                   },
                   {"", 0},
                   1};

 public:
  Context context;
  EverySetting config;
};

}  // namespace

TEST_CASE("settings: what is not given keeps the default of its member") {
  const Read read({none("count"), none("limit"), none("listener")});
  const EverySetting& c = read.config;
  CHECK(c.flag);
  CHECK(c.count == -3);
  CHECK(c.rate == 3e-4);
  CHECK(c.order == Order::shuffled);
  CHECK(c.warmup == percent(2));
  CHECK_FALSE(c.limit.has_value());
  CHECK(c.sizes == std::vector<std::int64_t>{1, 2, 3});
  CHECK(c.betas == std::array<double, 2>{0.9, 0.95});
  CHECK(c.window.size == 8);
  CHECK(c.listener == nullptr);
  CHECK(c.weights.entries.empty());
}

TEST_CASE("settings: scalars of every type are read back") {
  const Nodes amount{number("value", 1e9), integer("unit", int(Amount::Unit::tokens))};
  const Read read({boolean("flag", false), integer("count", 9), integer("small", 4096),
                   number("rate", 0.5), text("text", "a/b"), text("order", "as_is"),
                   map("warmup", amount), integer("limit", 20), text("label", "x"),
                   integer("linked", 300)});
  const EverySetting& c = read.config;
  CHECK_FALSE(c.flag);
  CHECK(c.count == 9);
  CHECK(c.small == 4096u);
  CHECK(c.rate == 0.5);
  CHECK(c.text == "a/b");
  CHECK(c.order == Order::as_is);
  CHECK(c.warmup == Amount{1e9, Amount::Unit::tokens});
  CHECK(c.limit == 20);
  CHECK(c.label == std::string_view("x"));
  CHECK(c.linked == 300);
}

TEST_CASE("settings: an integer is read where a number is expected") {
  const Nodes amount{integer("value", 3), integer("unit", int(Amount::Unit::epochs))};
  const Read read({integer("rate", 1), map("warmup", amount)});
  CHECK(read.config.rate == 1.0);
  CHECK(read.config.warmup == Amount{3, Amount::Unit::epochs});
}

TEST_CASE("settings: lists, arrays and structs are read back, and replace the default") {
  const Nodes sizes{integer(nullptr, 5)}, names{text(nullptr, "a"), text(nullptr, "b")},
      betas{number(nullptr, 0.8), integer(nullptr, 1)}, window{integer("size", 3)},
      windows{map(nullptr, window), map(nullptr, {})}, empty;
  const Read read({list("sizes", sizes), list("names", names), list("betas", betas),
                   map("window", window), list("windows", windows)});
  const EverySetting& c = read.config;
  CHECK(c.sizes == std::vector<std::int64_t>{5});
  CHECK(c.names == std::vector<std::string_view>{"a", "b"});
  CHECK(c.betas == std::array<double, 2>{0.8, 1});
  CHECK(c.window.size == 3);
  CHECK(c.window.overlap == 0.5);  // what EverySetting starts its window with
  REQUIRE(c.windows.size() == 2);
  CHECK(c.windows[0].size == 3);
  CHECK(c.windows[1].size == 8);
  CHECK(Read({list("sizes", empty)}).config.sizes.empty());
}

TEST_CASE("settings: enums are read back, alone, optional and in lists") {
  const Nodes orders{text(nullptr, "as_is"), text(nullptr, "shuffled"), text(nullptr, "as_is")};
  const Read read({text("other_order", "shuffled"), list("orders", orders)});
  CHECK(read.config.other_order == Order::shuffled);
  CHECK(read.config.orders == std::vector<Order>{Order::as_is, Order::shuffled, Order::as_is});
  CHECK_FALSE(Read({}).config.other_order.has_value());
}

TEST_CASE("settings: named maps keep the order of the file") {
  const Nodes weights{number("web", 0.7), number("code", 0.3)}, window{integer("size", 2)},
      windows{map("first", window), map("second", {})};
  const Read read({map("weights", weights), map("named_windows", windows)});
  const auto& w = read.config.weights.entries;
  REQUIRE(w.size() == 2);
  CHECK(w[0].name == "web");
  CHECK(w[0].value == 0.7);
  CHECK(w[1].name == "code");
  const auto& n = read.config.named_windows.entries;
  REQUIRE(n.size() == 2);
  CHECK(n[0].value.size == 2);
  CHECK(n[1].value.size == 8);
}

TEST_CASE("settings: components live as long as the context, one that is given twice once") {
  CountingListener a, b;
  const Nodes both{object(nullptr, a), object(nullptr, b)}, named{object("x", b), object("y", a)};
  const Read read({object("listener", a), list("listeners", both), map("sources", named)});
  const EverySetting& c = read.config;
  CHECK(c.listener->heard("1") == 1);
  REQUIRE(c.listeners.size() == 2);
  CHECK(c.listeners[0] == c.listener);
  CHECK(c.listeners[1]->heard("2") == 1);
  REQUIRE(c.sources.entries.size() == 2);
  CHECK(c.sources.entries[0].name == "x");
  CHECK(c.sources.entries[0].value == c.listeners[1]);
  CHECK(c.sources.entries[1].value->heard("3") == 2);
  CHECK(a.last == "3");
}

TEST_CASE("settings: an array takes as many values as it has") {
  const Nodes three{number(nullptr, 1), number(nullptr, 2), number(nullptr, 3)},
      one{number(nullptr, 1)};
  CHECK_THROWS_AS(Read({list("betas", three)}), ConfigError);
  CHECK_THROWS_AS(Read({list("betas", one)}), ConfigError);
}

TEST_CASE("settings: a value of a kind that this side does not know is refused by its name") {
  mt_value newer = integer("count", 7);
  newer.kind = MT_COMPONENT + 1;
  const Nodes inside{newer};
  const Nodes must_be_understood{{"count", MT_INT | std::uint64_t{1} << 63, {.i = 7}}};
  for (const Nodes& nodes : {inside, must_be_understood, Nodes{list("sizes", inside)}}) {
    try {
      const Read read(nodes);
      FAIL("nothing was thrown");
    } catch (const Error& e) {
      CHECK(e.code() == ErrorCode::not_supported);
      CHECK(std::string(e.what()).ends_with("is of a kind that this side does not know"));
    }
  }
}
