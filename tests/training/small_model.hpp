#pragma once

#include <mortise/model/declaration.hpp>
#include <mortise/model/loss.hpp>

namespace mortise::tests {

struct SmallShape {
  std::int64_t vocabulary = 65, width = 36, layers = 3, heads = 6, kv_heads = 2, hidden = 50;
  bool tied = true;
  double dropout = 0;
  bool frozen_bias = false;       // adds a parameter of one element and a frozen one
  std::int64_t frozen_units = 0;  // the parameters of the first units alone
  bool value_bias = true;         // near one: gradients of queries are small differences then
};

// A decoder with everything that sharding can get wrong: grouped-query attention, norms on query
// and key, tied or own head, dropout, and with frozen_bias a parameter of size 1 and a frozen one.
class SmallModel final : public Model {
 public:
  explicit SmallModel(const SmallShape& shape);
  std::vector<ParameterInfo> parameters() const override { return d_.parameters; }
  std::vector<Layer> layers() const override { return d_.layers; }
  Names units() const override { return d_.units; }
  std::vector<PlacementRule> placements() const override;
  TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                          const Batch& batch) override;

 private:
  struct Block {
    LayerId norm1, attention_in, query, key, value, query_norm, key_norm, attention, output,
        dropout1, norm2, feed_in, gate, up, activation, down, dropout2;
  };
  at::Tensor block(const Block& b, UnitContext& unit, const at::Tensor& x) const;

  SmallShape shape_;
  Declaration d_;
  LayerId embedding_{}, final_norm_{}, head_in_{}, head_{};
  ParameterId scale_{}, frozen_{};
  std::vector<Block> blocks_;
};

// Cross-entropy, the obvious way: a token sum, divided by nothing.
class PlainCrossEntropy final : public Loss {
 public:
  at::Tensor counts(const Batch& batch) const override;
  void add_terms(UnitContext& unit, LayerId head, const at::Tensor& hidden,
                 const Batch& batch) override;
};

// Micro-batch k of step `step`: random tokens with ragged masks, so that the counted targets differ
// from one micro-batch to the next.
Batch small_batch(const SmallShape& shape, std::int64_t sequences, std::int64_t length,
                  std::int64_t step, std::int64_t k);

// First values of parameter `info`, a function of its name.
at::Tensor small_weights(const ParameterInfo& info);

}  // namespace mortise::tests
