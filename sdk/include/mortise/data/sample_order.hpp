#pragma once

#include <mortise/c/dataset.h>

#include <cstdint>
#include <mortise/kit/structs.hpp>
#include <vector>

namespace [[gnu::visibility("hidden")]] mortise {

/// Asks for the samples at the global positions [first, first + count) of a run over a data set of
/// `samples`; position p lies in epoch p / samples. `stream`: which of several independent orders,
/// one for each source of a mixture.
struct OrderRequest {
  std::int64_t first = 0, count = 0, samples = 0;
  std::int64_t stream = 0;
};

/// The order in which a run visits its samples, as a function: no state, no storage.
///
/// Each epoch is a permutation of [0, samples). The answer depends on the seed (Context::seed) and
/// the request alone, so any rank may ask for any part, and resume needs nothing but a position.
///
/// Errors:  Error(bad_argument) for negative or empty requests.
/// Threads: immutable after construction; any thread may call.
/// Ranks:   local; equal on every rank.
class SampleOrder : public Interface {
 public:
  /// The `count` indices, each in [0, samples).
  virtual std::vector<std::int64_t> indices(const OrderRequest& request) const = 0;
};

namespace kit {
template <>
struct members<OrderRequest> {
  MORTISE_MEMBERS(OrderRequest, mt_order_request);
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(first), MORTISE_MEMBER(count), MORTISE_MEMBER(samples),
                 MORTISE_MEMBER(stream).needs<0>()};
};
}  // namespace kit

template <>
class Remote<SampleOrder> final : public kit::RemoteBase<SampleOrder, mt_sample_order_v1> {
 public:
  static constexpr const char* id = "mortise/sample_order/1";
  using Methods = kit::Methods<&SampleOrder::indices>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::vector<std::int64_t> indices(const OrderRequest& request) const override {
    return call(&Table::indices, &SampleOrder::indices, request);
  }
};

}  // namespace mortise
