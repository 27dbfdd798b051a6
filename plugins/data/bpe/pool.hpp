#pragma once

// Working memory that outlives a call and is used by one thread at a time. A thread that borrows
// gets the most recently returned piece, so there are as many as threads that ever worked at once.

#include <memory>
#include <mutex>
#include <vector>

namespace mortise::bpe {

// Threads: any thread may borrow; Loan returns what it holds when it ends.
template <typename T>
class Pool {
 public:
  class Loan {
   public:
    Loan(Pool& pool, std::unique_ptr<T> item) : pool_(pool), item_(std::move(item)) {}
    ~Loan() { pool_.give_back(std::move(item_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    T& operator*() const { return *item_; }
    T* operator->() const { return item_.get(); }

   private:
    Pool& pool_;
    std::unique_ptr<T> item_;
  };

  Loan borrow() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<T> item = std::move(idle_.back());
        idle_.pop_back();
        return Loan(*this, std::move(item));
      }
    }
    return Loan(*this, std::make_unique<T>());
  }

 private:
  void give_back(std::unique_ptr<T> item) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(item));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace mortise::bpe
