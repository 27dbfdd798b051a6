// Sample order for files on a network: neighbouring samples are visited soon after one another, so
// that a reader finds them in what it has read already. A function of seed, stream and epoch.

#include <map>
#include <memory>
#include <mortise/data/sample_order.hpp>
#include <mortise/plugin.hpp>
#include <mutex>

#include "../keyed_permutation/epochs.hpp"
#include "block_order.hpp"

namespace {

using namespace mortise;

class BlockPermutation final : public SampleOrder {
 public:
  struct Config {
    std::int64_t block = 256, window = 64;

    static constexpr auto settings() {
      return fields(
          field("block", &Config::block)
              .between(1, 65536)
              .unit("samples")
              .doc("neighbours that stay together; choose as many as one read of the file system "
                   "brings"),
          field("window", &Config::window)
              .between(1, 65536)
              .unit("blocks")
              .doc("blocks whose samples are shuffled with each other; block * window at most "
                   "65536"));
    }
  };

  BlockPermutation(const Config& config, Context& context)
      : config_(config), key_(random::key_of(context.seed(), "sample_order")) {
    if (config.block * config.window > order::kSmallestFeistel)
      throw ConfigError("window: " + std::to_string(config.window) + " blocks of " +
                        std::to_string(config.block) + " samples are more than " +
                        std::to_string(order::kSmallestFeistel));
  }

  std::vector<std::int64_t> indices(const OrderRequest& request) const override {
    order::check(request);
    std::vector<std::int64_t> all;
    all.reserve(static_cast<std::size_t>(request.count));
    order::for_each_epoch(request,
                          [&](const order::Stretch& stretch) { append(all, request, stretch); });
    return all;
  }

 private:
  // Shared, since a call may still read what another one puts aside.
  using Order = std::shared_ptr<const std::vector<std::int64_t>>;
  struct Kept {
    std::int64_t epoch = 0, window = -1;
    std::shared_ptr<const order::BlockOrder> blocks;
    Order samples;  // of the window
  };

  void append(std::vector<std::int64_t>& all, const OrderRequest& request,
              const order::Stretch& stretch) const {
    const std::int64_t end = stretch.begin + stretch.count;
    for (std::int64_t at = stretch.begin; at != end;) {
      const Kept kept = window_at(request, stretch.epoch, at);
      const std::int64_t begin = kept.blocks->begin_of(kept.window);
      const std::int64_t to = std::min(end, begin + std::int64_t(kept.samples->size()));
      const auto first = kept.samples->begin();
      all.insert(all.end(), first + (at - begin), first + (to - begin));
      at = to;
    }
  }

  // The last window of each stream is kept.
  Kept window_at(const OrderRequest& request, std::int64_t epoch, std::int64_t place) const {
    const std::scoped_lock lock(mutex_);
    Kept& last = last_[{request.stream, request.samples}];
    if (last.blocks == nullptr || last.epoch != epoch)
      last = {epoch, -1,
              std::make_shared<const order::BlockOrder>(
                  request.samples, config_.block, config_.window,
                  order::key_of_epoch(key_, request.stream, epoch)),
              nullptr};
    const std::int64_t window = last.blocks->window_of(place);
    if (last.window != window) {
      last.samples =
          std::make_shared<const std::vector<std::int64_t>>(last.blocks->samples_of(window));
      last.window = window;
    }
    return last;
  }

  Config config_;
  std::uint64_t key_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::int64_t, std::int64_t>, Kept> last_;  // by stream, samples
};

}  // namespace

MORTISE_PLUGIN("org.mortise.block_permutation", MORTISE_VERSION,
               component<BlockPermutation, SampleOrder>(
                   "block_permutation", "blocks of neighbours in another order in every epoch"));
