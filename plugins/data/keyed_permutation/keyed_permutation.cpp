// Sample order: each epoch is a permutation of its own, a function of the seed and the epoch.
// Whoever asks for whatever part gets the same answer, and resume needs a position only.

#include <algorithm>
#include <memory>
#include <mortise/data/sample_order.hpp>
#include <mortise/plugin.hpp>
#include <mortise/random.hpp>
#include <mutex>

#include "order_request_check.hpp"
#include "permutation.hpp"

namespace {

class KeyedPermutation final : public mortise::SampleOrder {
 public:
  explicit KeyedPermutation(mortise::Context& context)
      : key_(mortise::random::key_of(context.seed(), "sample_order")) {}

  std::vector<std::int64_t> indices(const mortise::OrderRequest& request) const override {
    mortise::order::check(request);
    std::vector<std::int64_t> all;
    all.reserve(static_cast<std::size_t>(request.count));
    const std::int64_t end = request.first + request.count;
    for (std::int64_t at = request.first; at != end;) {
      const std::int64_t epoch = at / request.samples, begin = at % request.samples;
      const std::int64_t count = std::min(request.samples - begin, end - at);
      append(all, epoch, begin, count, request.samples);
      at += count;
    }
    return all;
  }

 private:
  // Shared, since a call may still read an epoch when another one begins the next.
  using Epoch = std::shared_ptr<const std::vector<std::int64_t>>;

  std::uint64_t key_of_epoch(std::int64_t epoch) const {
    return mortise::random::bits(key_, static_cast<std::uint64_t>(epoch));
  }

  void append(std::vector<std::int64_t>& all, std::int64_t epoch, std::int64_t begin,
              std::int64_t count, std::int64_t samples) const {
    if (samples < mortise::order::kSmallestFeistel) {
      const Epoch order = small_epoch(epoch, samples);
      all.insert(all.end(), order->begin() + begin, order->begin() + begin + count);
      return;
    }
    const mortise::order::FeistelPermutation order(samples, key_of_epoch(epoch));
    for (std::int64_t i = 0; i != count; ++i) all.push_back(order(begin + i));
  }

  Epoch small_epoch(std::int64_t epoch, std::int64_t samples) const {
    const std::scoped_lock lock(mutex_);
    if (last_ == nullptr || last_epoch_ != epoch || std::int64_t(last_->size()) != samples) {
      last_ = std::make_shared<const std::vector<std::int64_t>>(
          mortise::order::shuffled(samples, key_of_epoch(epoch)));
      last_epoch_ = epoch;
    }
    return last_;
  }

  std::uint64_t key_;
  mutable std::mutex mutex_;
  mutable Epoch last_;
  mutable std::int64_t last_epoch_ = 0;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.keyed_permutation", MORTISE_VERSION,
               mortise::component<KeyedPermutation, mortise::SampleOrder>(
                   "keyed_permutation", "another order in every epoch, given by the seed alone"));
