#pragma once

// An interface that passes every type there is, both ways, for tests of the kit.

#include <mortise/kit/structs.hpp>
#include <mortise/values.hpp>
#include <optional>

struct echo_point {
  mt_head head;
  int64_t x;
  double weight;
  mt_text name;
  uint8_t visible;
  int32_t colour;
};
MT_LIST_OF(echo_point);

struct echo_figure {
  mt_head head;
  mt_text name;
  const echo_point* centre;
  echo_points corners;
  mt_i64s sizes;
  mt_f64s weights;
  mt_u32s ids;
  mt_texts labels;
  mt_values attributes;
};
MT_LIST_OF(echo_figure);

struct echo_listener_v1 {
  mt_head head;
  mt_status (*heard)(void* self, mt_text text, int64_t* count, const mt_error_sink* error);
};

struct echo_v1 {
  mt_head head;
  mt_status (*flag)(void* self, uint8_t v, uint8_t* out, const mt_error_sink* error);
  mt_status (*colour)(void* self, int32_t v, int32_t* out, const mt_error_sink* error);
  mt_status (*integer)(void* self, int64_t v, int64_t* out, const mt_error_sink* error);
  mt_status (*bits)(void* self, uint64_t v, uint64_t* out, const mt_error_sink* error);
  mt_status (*number)(void* self, double v, double* out, const mt_error_sink* error);
  mt_status (*text)(void* self, mt_text v, const mt_text_sink* out, const mt_error_sink* error);
  mt_status (*ids)(void* self, mt_u32s v, const mt_u32_sink* out, const mt_error_sink* error);
  mt_status (*integers)(void* self, mt_i64s v, const mt_i64_sink* out, const mt_error_sink* error);
  mt_status (*numbers)(void* self, mt_f64s v, const mt_f64_sink* out, const mt_error_sink* error);
  mt_status (*texts)(void* self, mt_texts v, const mt_texts_sink* out, const mt_error_sink* error);
  mt_status (*point)(void* self, const echo_point* v, const echo_point_sink* out,
                     const mt_error_sink* error);
  mt_status (*points)(void* self, echo_points v, const echo_point_sink* out,
                      const mt_error_sink* error);
  mt_status (*maybe)(void* self, echo_points v, const echo_point_sink* out,
                     const mt_error_sink* error);
  mt_status (*figure)(void* self, const echo_figure* v, const echo_figure_sink* out,
                      const mt_error_sink* error);
  mt_status (*attribute)(void* self, mt_values v, mt_text key, int64_t* out,
                         const mt_error_sink* error);
  mt_status (*tell)(void* self, mt_object listener, mt_text text, int64_t* out,
                    const mt_error_sink* error);
  mt_status (*make)(void* self, mt_owned* out, const mt_error_sink* error);
  mt_status (*nothing)(void* self, const mt_error_sink* error);
};

namespace [[gnu::visibility("hidden")]] mortise {
namespace tests {

enum class Colour : std::int32_t { red, green = 7 };
constexpr Colour last_enumerator(Colour) { return Colour::green; }
enum class Edge : std::int64_t { sharp, round };
constexpr Edge last_enumerator(Edge) { return Edge::round; }

struct Point {
  std::int64_t x = 0;
  double weight = 1;
  std::string name{};
  bool visible = true;
  Colour colour = Colour::red;
  bool operator==(const Point&) const = default;
};

struct Figure {
  std::string name{};
  Point centre{};
  std::vector<Point> corners{};
  std::vector<std::int64_t> sizes{};
  std::vector<double> weights{};
  std::vector<std::uint32_t> ids{};
  std::vector<std::string> labels{};
  Values attributes{};
  bool operator==(const Figure&) const = default;
};

class Listener : public Interface {
 public:
  virtual std::int64_t heard(std::string_view text) = 0;
};

class Echo : public Interface {
 public:
  virtual bool flag(bool v) = 0;
  virtual Colour colour(Colour v) const = 0;
  virtual std::int64_t integer(std::int64_t v) const = 0;
  virtual std::uint64_t bits(std::uint64_t v) const = 0;
  virtual double number(double v) const = 0;
  virtual std::string text(std::string_view v) const = 0;
  virtual std::vector<std::uint32_t> ids(std::span<const std::uint32_t> v) const = 0;
  virtual std::vector<std::int64_t> integers(std::span<const std::int64_t> v) const = 0;
  virtual std::vector<double> numbers(std::span<const double> v) const = 0;
  virtual std::vector<std::string> texts(const std::vector<std::string_view>& v) const = 0;
  virtual Point point(const Point& v) const = 0;
  virtual std::vector<Point> points(const std::vector<Point>& v) const = 0;
  virtual std::optional<Point> maybe(const std::optional<Point>& v) const = 0;
  virtual Figure figure(const Figure& v) const = 0;
  virtual std::int64_t attribute(const Values& v, std::string_view key) const = 0;
  virtual std::int64_t tell(Listener& listener, std::string_view text) = 0;
  virtual std::unique_ptr<Listener> make() = 0;
  virtual void nothing() = 0;
};

}  // namespace tests

namespace kit {
template <>
struct members<tests::Point> {
  MORTISE_MEMBERS(tests::Point, echo_point);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(x), MORTISE_MEMBER(weight), MORTISE_MEMBER(name),
                 MORTISE_MEMBER(visible), MORTISE_MEMBER(colour)};
};
template <>
struct members<tests::Figure> {
  MORTISE_MEMBERS(tests::Figure, echo_figure);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(name),   MORTISE_MEMBER(centre),    MORTISE_MEMBER(corners),
                 MORTISE_MEMBER(sizes),  MORTISE_MEMBER(weights),   MORTISE_MEMBER(ids),
                 MORTISE_MEMBER(labels), MORTISE_MEMBER(attributes)};
};
}  // namespace kit

template <>
class Remote<tests::Listener> : public kit::RemoteBase<tests::Listener, echo_listener_v1> {
 public:
  static constexpr const char* id = "test/listener/1";
  using Methods = kit::Methods<&tests::Listener::heard>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::int64_t heard(std::string_view text) override {
    return call(&Table::heard, &tests::Listener::heard, text);
  }
};

template <>
class Remote<tests::Echo> final : public kit::RemoteBase<tests::Echo, echo_v1> {
  using Echo = tests::Echo;

 public:
  static constexpr const char* id = "test/echo/1";
  using Methods =
      kit::Methods<&Echo::flag, &Echo::colour, &Echo::integer, &Echo::bits, &Echo::number,
                   &Echo::text, &Echo::ids, &Echo::integers, &Echo::numbers, &Echo::texts,
                   &Echo::point, &Echo::points, &Echo::maybe, &Echo::figure, &Echo::attribute,
                   &Echo::tell, &Echo::make, &Echo::nothing>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  bool flag(bool v) override { return call(&Table::flag, &Echo::flag, v); }
  tests::Colour colour(tests::Colour v) const override {
    return call(&Table::colour, &Echo::colour, v);
  }
  std::int64_t integer(std::int64_t v) const override {
    return call(&Table::integer, &Echo::integer, v);
  }
  std::uint64_t bits(std::uint64_t v) const override { return call(&Table::bits, &Echo::bits, v); }
  double number(double v) const override { return call(&Table::number, &Echo::number, v); }
  std::string text(std::string_view v) const override { return call(&Table::text, &Echo::text, v); }
  std::vector<std::uint32_t> ids(std::span<const std::uint32_t> v) const override {
    return call(&Table::ids, &Echo::ids, v);
  }
  std::vector<std::int64_t> integers(std::span<const std::int64_t> v) const override {
    return call(&Table::integers, &Echo::integers, v);
  }
  std::vector<double> numbers(std::span<const double> v) const override {
    return call(&Table::numbers, &Echo::numbers, v);
  }
  std::vector<std::string> texts(const std::vector<std::string_view>& v) const override {
    return call(&Table::texts, &Echo::texts, v);
  }
  tests::Point point(const tests::Point& v) const override {
    return call(&Table::point, &Echo::point, v);
  }
  std::vector<tests::Point> points(const std::vector<tests::Point>& v) const override {
    return call(&Table::points, &Echo::points, v);
  }
  std::optional<tests::Point> maybe(const std::optional<tests::Point>& v) const override {
    return call(&Table::maybe, &Echo::maybe, v);
  }
  tests::Figure figure(const tests::Figure& v) const override {
    return call(&Table::figure, &Echo::figure, v);
  }
  std::int64_t attribute(const Values& v, std::string_view key) const override {
    return call(&Table::attribute, &Echo::attribute, v, key);
  }
  std::int64_t tell(tests::Listener& listener, std::string_view text) override {
    return call(&Table::tell, &Echo::tell, listener, text);
  }
  std::unique_ptr<tests::Listener> make() override { return call(&Table::make, &Echo::make); }
  void nothing() override { call(&Table::nothing, &Echo::nothing); }
};

}  // namespace mortise
