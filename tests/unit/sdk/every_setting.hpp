#pragma once

// A Config with a member of every type and every modifier, for tests of schema and reading.

#include <array>
#include <mortise/plugin.hpp>
#include <optional>

#include "tests/unit/sdk/echo.hpp"

namespace mortise::tests {

enum class Order { as_is, shuffled };

struct Window {
  std::int64_t size = 8;
  double overlap = 0.25;
  static constexpr auto settings() {
    return fields(field("size", &Window::size).at_least(1).doc("length"),
                  field("overlap", &Window::overlap).between(0, 1).doc("share"));
  }
  static constexpr auto rules() { return rules_of(requires_setting("overlap", "size")); }
};

struct EverySetting {
  bool flag = true;
  std::int64_t count = -3;
  std::uint32_t small = 7;
  double rate = 3e-4;
  std::string_view text = "a \"quoted\" \\ text";
  Order order = Order::shuffled;
  std::optional<Order> other_order;
  std::vector<Order> orders = {Order::shuffled};
  Amount warmup = percent(2);
  std::optional<std::int64_t> limit;
  std::optional<std::string_view> label;
  std::vector<std::int64_t> sizes = {1, 2, 3};
  std::vector<std::string_view> names = {"norm", "bias"};
  std::array<double, 2> betas = {0.9, 0.95};
  std::vector<Window> windows;
  Window window = {8, 0.5};
  Named<double> weights;
  Named<Window> named_windows;
  Listener* listener = nullptr;
  std::vector<Listener*> listeners;
  Named<Listener*> sources;
  std::int64_t linked = 0;

  static constexpr auto numbers() {
    return fields(
        field("flag", &EverySetting::flag).doc("a switch"),
        field("count", &EverySetting::count)
            .between(-10, 10)
            .multiple_of(3)
            .doc("a count")
            .unit("steps"),
        field("small", &EverySetting::small).bytes().doc("bytes").since("0.2"),
        field("rate", &EverySetting::rate)
            .at_least(0)
            .at_most(1)
            .doc("a rate")
            .known_as("lr", "eta"),
        field("text", &EverySetting::text).path().doc("a path\nand \"more\"").positional(),
        field("order", &EverySetting::order)
            .choice("as_is", Order::as_is)
            .choice("shuffled", Order::shuffled)
            .doc("an order")
            .short_name('o'),
        field("warmup", &EverySetting::warmup).amount().doc("an amount"),
        field("limit", &EverySetting::limit).tokens().doc("a limit"),
        field("label", &EverySetting::label).doc("a label"));
  }
  static constexpr auto lists() {
    return fields(field("other_order", &EverySetting::other_order)
                      .choice("as_is", Order::as_is)
                      .choice("shuffled", Order::shuffled)
                      .doc("maybe an order"),
                  field("orders", &EverySetting::orders)
                      .choice("as_is", Order::as_is)
                      .choice("shuffled", Order::shuffled)
                      .doc("orders"),
                  field("sizes", &EverySetting::sizes).doc("sizes"),
                  field("names", &EverySetting::names).single().doc("names"),
                  field("betas", &EverySetting::betas).doc("two numbers"),
                  field("windows", &EverySetting::windows).doc("windows"),
                  field("window", &EverySetting::window).doc("one window"),
                  field("weights", &EverySetting::weights).doc("weights by name"),
                  field("named_windows", &EverySetting::named_windows).doc("windows by name"));
  }
  static constexpr auto components() {
    return fields(
        field("listener", &EverySetting::listener).required().doc("a component"),
        field("listeners", &EverySetting::listeners).doc("components"),
        field("sources", &EverySetting::sources).doc("components by name"),
        field("linked", &EverySetting::linked).defaults_to("run.steps").duration().doc("a link"));
  }
  static constexpr auto settings() { return std::tuple_cat(numbers(), lists(), components()); }
  static constexpr auto rules() {
    return rules_of(less_than("count", "small"), multiple_of("small", "count"),
                    requires_setting("label", "limit"));
  }
};

}  // namespace mortise::tests
