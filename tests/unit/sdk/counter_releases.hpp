#pragma once

// An interface and a struct in an older and a newer release, for tests of their growth.

#include <cstring>
#include <mortise/kit/structs.hpp>

struct counter_v1 {
  mt_head head;
  mt_status (*next)(void* self, int64_t n, int64_t* out, const mt_error_sink* error);
  mt_status (*twice)(void* self, int64_t n, int64_t* out, const mt_error_sink* error); /* 1.1 */
  mt_status (*reset)(void* self, const mt_error_sink* error);                          /* 1.2 */
};

struct window_then {
  mt_head head;
  int64_t size;
};
MT_LIST_OF(window_then);
struct window_now {
  mt_head head;
  int64_t size;
  int64_t stride;
  mt_text note;
};
MT_LIST_OF(window_now);

namespace [[gnu::visibility("hidden")]] mortise {
namespace tests {

class Counter : public Interface {
 public:
  virtual std::int64_t next(std::int64_t n) const = 0;
  virtual std::int64_t twice(std::int64_t n) const { return next(next(n)); }
  virtual void reset() { throw Error(ErrorCode::not_supported, "this counter cannot be reset"); }
};

class DoublesAtOnce final : public Counter {
 public:
  std::int64_t next(std::int64_t n) const override { return n + 1; }
  std::int64_t twice(std::int64_t n) const override { return n + 1004; }
  void reset() override {}
};

struct WindowThen {
  std::int64_t size = 0;
};
struct WindowNow {
  std::int64_t size = 0;
  std::int64_t stride = 1;
  std::string note = "none";
};
// What a receiver of the older release makes of a newer sender's memory.
inline const window_then& as_then(const window_now& now) {
  return reinterpret_cast<const window_then&>(now);
}

}  // namespace tests

namespace kit {
template <>
struct members<tests::WindowThen> {
  MORTISE_MEMBERS(tests::WindowThen, window_then);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(size)};
};
template <>
struct members<tests::WindowNow> {
  MORTISE_MEMBERS(tests::WindowNow, window_now);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(size), MORTISE_MEMBER(stride).needs<3>(),
                                         MORTISE_MEMBER(note).since()};
};
}  // namespace kit

template <>
class Remote<tests::Counter> final : public kit::RemoteBase<tests::Counter, counter_v1> {
  using Counter = tests::Counter;

 public:
  static constexpr const char* id = "test/counter/1";
  using Methods = kit::Methods<&Counter::next, &Counter::twice, &Counter::reset>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::int64_t next(std::int64_t n) const override { return call(&Table::next, &Counter::next, n); }
  std::int64_t twice(std::int64_t n) const override {
    return has(&Table::twice) ? call(&Table::twice, &Counter::twice, n) : Counter::twice(n);
  }
  void reset() override {
    has(&Table::reset) ? call(&Table::reset, &Counter::reset) : Counter::reset();
  }
};

}  // namespace mortise
