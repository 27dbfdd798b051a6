// Sample order: each epoch is a permutation of its own, a function of the seed and the epoch.
// Whoever asks for whatever part gets the same answer, and resume needs a position only.

#include <map>
#include <memory>
#include <mortise/data/sample_order.hpp>
#include <mortise/plugin.hpp>
#include <mortise/random.hpp>
#include <mutex>
#include <utility>

#include "epochs.hpp"
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
    mortise::order::for_each_epoch(
        request, [&](const mortise::order::Stretch& stretch) { append(all, request, stretch); });
    return all;
  }

 private:
  // Shared, since a call may still read an epoch when another one begins the next.
  using Order = std::shared_ptr<const std::vector<std::int64_t>>;
  struct Epoch {
    std::int64_t number = 0;
    Order order;
  };

  void append(std::vector<std::int64_t>& all, const mortise::OrderRequest& request,
              const mortise::order::Stretch& stretch) const {
    const std::uint64_t key = mortise::order::key_of_epoch(key_, request.stream, stretch.epoch);
    if (request.samples < mortise::order::kSmallestFeistel) {
      const Order order = small_epoch(request, stretch.epoch, key);
      const auto begin = order->begin() + stretch.begin;
      all.insert(all.end(), begin, begin + stretch.count);
      return;
    }
    const mortise::order::FeistelPermutation order(request.samples, key);
    for (std::int64_t i = 0; i != stretch.count; ++i) all.push_back(order(stretch.begin + i));
  }

  // The last epoch of each stream is kept.
  Order small_epoch(const mortise::OrderRequest& request, std::int64_t number,
                    std::uint64_t key) const {
    const std::scoped_lock lock(mutex_);
    Epoch& last = last_[{request.stream, request.samples}];
    if (last.order == nullptr || last.number != number)
      last = {number, std::make_shared<const std::vector<std::int64_t>>(
                          mortise::order::shuffled(request.samples, key))};
    return last.order;
  }

  std::uint64_t key_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::int64_t, std::int64_t>, Epoch> last_;  // by stream, samples
};

}  // namespace

MORTISE_PLUGIN("org.mortise.keyed_permutation", MORTISE_VERSION,
               mortise::component<KeyedPermutation, mortise::SampleOrder>(
                   "keyed_permutation", "another order in every epoch, given by the seed alone"));
