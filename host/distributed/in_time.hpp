#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace mortise::host {

// What `ask` returns or throws, or nothing where that takes longer: calls into a store wait without
// end for a process that is stopped. The thread that waits is left behind then, so `ask` must own
// what it uses.
template <class Ask>
auto in_time(std::chrono::milliseconds limit, Ask ask) -> std::optional<decltype(ask())> {
  using Answer = decltype(ask());
  auto answer = std::make_shared<std::promise<Answer>>();
  std::future<Answer> future = answer->get_future();
  std::thread([answer, ask = std::move(ask)] {
    try {
      answer->set_value(ask());
    } catch (...) {
      answer->set_exception(std::current_exception());
    }
  }).detach();
  if (future.wait_for(limit) != std::future_status::ready) return std::nullopt;
  return future.get();
}

}  // namespace mortise::host
