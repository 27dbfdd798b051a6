// Sample order: every epoch from the first sample to the last.

#include <mortise/data/sample_order.hpp>
#include <mortise/plugin.hpp>

#include "../keyed_permutation/epochs.hpp"

namespace {

class Sequential final : public mortise::SampleOrder {
 public:
  std::vector<std::int64_t> indices(const mortise::OrderRequest& request) const override {
    mortise::order::check(request);
    std::vector<std::int64_t> all;
    all.reserve(static_cast<std::size_t>(request.count));
    for (std::int64_t i = 0; i != request.count; ++i)
      all.push_back((request.first + i) % request.samples);
    return all;
  }
};

}  // namespace

MORTISE_PLUGIN("org.mortise.sequential", MORTISE_VERSION,
               mortise::component<Sequential, mortise::SampleOrder>(
                   "sequential", "every epoch from the first sample to the last"));
