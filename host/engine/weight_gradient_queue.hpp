#pragma once

#include <mortise/parallel/weight_gradients.hpp>
#include <mutex>
#include <vector>

namespace mortise::host {

using WeightTasks = std::vector<std::unique_ptr<WeightTask>>;

// Takes what the backward pass that runs now defers; the engine keeps and runs the tasks, so that
// they die before components do.
class WeightGradientQueue final : public WeightGradients {
 public:
  void add(std::unique_ptr<WeightTask> task) const override {
    const std::lock_guard lock(mutex_);
    if (into_ == nullptr)
      throw Error(ErrorCode::bad_argument,
                  "a weight gradient is deferred outside of a backward pass of the engine");
    into_->push_back(std::move(task));
  }
  // Until it dies, tasks go into a list.
  class Collecting {
   public:
    Collecting(WeightGradientQueue& queue, WeightTasks& into) : queue_(queue) { set(&into); }
    ~Collecting() { set(nullptr); }
    Collecting(const Collecting&) = delete;

   private:
    void set(WeightTasks* into) {
      const std::lock_guard lock(queue_.mutex_);
      queue_.into_ = into;
    }
    WeightGradientQueue& queue_;
  };

 private:
  mutable std::mutex mutex_;
  WeightTasks* into_ = nullptr;
};

}  // namespace mortise::host
