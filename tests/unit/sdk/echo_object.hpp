#pragma once

#include <functional>

#include "tests/unit/sdk/echo.hpp"

namespace mortise::tests {

class CountingListener final : public Listener {
 public:
  explicit CountingListener(int* destroyed = nullptr) : destroyed_(destroyed) {}
  ~CountingListener() override {
    if (destroyed_ != nullptr) ++*destroyed_;
  }
  CountingListener(const CountingListener&) = delete;
  std::int64_t heard(std::string_view text) override {
    last = text;
    return ++count;
  }
  std::string last;
  std::int64_t count = 0;

 private:
  int* destroyed_;
};

// Gives back what it is given; `nothing` does what a test wants.
class EchoObject : public Echo {
 public:
  bool flag(bool v) override { return v; }
  Colour colour(Colour v) const override { return v; }
  std::int64_t integer(std::int64_t v) const override { return v; }
  std::uint64_t bits(std::uint64_t v) const override { return v; }
  double number(double v) const override { return v; }
  std::string text(std::string_view v) const override { return std::string(v); }
  std::vector<std::uint32_t> ids(std::span<const std::uint32_t> v) const override {
    return {v.begin(), v.end()};
  }
  std::vector<std::int64_t> integers(std::span<const std::int64_t> v) const override {
    return {v.begin(), v.end()};
  }
  std::vector<double> numbers(std::span<const double> v) const override {
    return {v.begin(), v.end()};
  }
  std::vector<std::string> texts(const std::vector<std::string_view>& v) const override {
    return {v.begin(), v.end()};
  }
  Point point(const Point& v) const override { return v; }
  std::vector<Point> points(const std::vector<Point>& v) const override { return v; }
  std::optional<Point> maybe(const std::optional<Point>& v) const override { return v; }
  Figure figure(const Figure& v) const override { return v; }
  std::int64_t attribute(const Values& v, std::string_view key) const override {
    return v.get<std::int64_t>(key);
  }
  std::int64_t tell(Listener& listener, std::string_view text) override {
    kept = &listener;
    return listener.heard(text);
  }
  std::unique_ptr<Listener> make() override {
    return std::make_unique<CountingListener>(&destroyed);
  }
  void nothing() override {
    if (work) work();
  }

  Listener* kept = nullptr;
  int destroyed = 0;
  std::function<void()> work;
};

}  // namespace mortise::tests
