#pragma once

#include <array>
#include <exception>
#include <thread>
#include <vector>

namespace mortise::conformance {

// Runs `f(i)` for i = 0 … threads - 1 in as many threads and throws what the first one threw.
template <class F>
void run_at_once(int threads, F f) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(threads));
  std::vector<std::thread> all;
  for (int i = 0; i != threads; ++i)
    all.emplace_back([&f, &errors, i] {
      try {
        f(i);
      } catch (...) {
        errors[static_cast<std::size_t>(i)] = std::current_exception();
      }
    });
  for (std::thread& thread : all) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace mortise::conformance
