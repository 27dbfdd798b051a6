// A mixture of experts (Shazeer et al. 2017, one expert for each token as in Switch, Fedus et al.
// 2021), and expert parallelism for it: each rank of axis `ep` has micro-batches of its own and
// some of the experts, tokens travel to their expert and back.

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include <mortise/model/declaration.hpp>
#include <mortise/model/layer_op.hpp>
#include <mortise/parallel/cutter.hpp>
#include <mortise/plugin.hpp>

namespace {

using namespace mortise;

constexpr const char* kExperts = "org.mortise.probe/experts/1";

// Inputs of the layer: tokens [N, C] and the expert of each [N] int64 -> [N, C]. Parameters: up
// [E, F, C] and down [E, C, F].
class MoeModel final : public Model {
 public:
  struct Config {
    std::int64_t vocabulary_size = 65, width = 16, hidden = 24, experts = 4;
    static constexpr auto settings() {
      return fields(field("vocabulary_size", &Config::vocabulary_size).at_least(1).doc("rows"),
                    field("width", &Config::width).at_least(1).doc("channels"),
                    field("hidden", &Config::hidden).at_least(1).doc("channels of an expert"),
                    field("experts", &Config::experts).at_least(1).doc("how many"));
    }
  };
  explicit MoeModel(const Config& c) {
    d_.unit("embed");
    embedding_ = d_.embedding("embed", c.vocabulary_size, c.width);
    d_.unit("block", 0);
    norm_ = d_.norm("block.norm", c.width, 1e-5);
    router_ = d_.linear("block.router", c.width, c.experts);
    const auto experts = [&](const char* name, std::int64_t out, std::int64_t in) {
      return Declaration::Weight{
          name, {c.experts, out, in}, Role::expert, {Axis::experts, Axis::out, Axis::in}};
    };
    experts_ = d_.layer("block.experts", kExperts,
                        {experts("block.experts.up", c.hidden, c.width),
                         experts("block.experts.down", c.width, c.hidden)});
    for (const ParameterId p : d_.layers.back().parameters)
      d_.parameters[std::size_t(p)].shard_axes = {"ep"};
    d_.unit("head");
    head_ = d_.linear("head", c.width, c.vocabulary_size, false, Role::head);
  }
  std::vector<ParameterInfo> parameters() const override { return d_.parameters; }
  std::vector<Layer> layers() const override { return d_.layers; }
  Names units() const override { return d_.units; }
  TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                          const Batch& batch) override {
    if (visit.unit == 0) return {unit(embedding_, batch["tokens"])};
    if (visit.unit == 2) return {unit.end(head_, hidden[0])};
    const at::Tensor x = unit(norm_, hidden[0]).flatten(0, 1);
    const auto [weight, expert] = unit(router_, x).softmax(-1).max(-1, true);
    const at::Tensor y = unit(experts_, {x, expert.flatten()});
    return {hidden[0] + (y * weight).view(hidden[0].sizes())};
  }

 private:
  Declaration d_;
  LayerId embedding_{}, norm_{}, router_{}, experts_{}, head_{};
};

// Rows go to their rank; gradients come back.
struct Exchange : torch::autograd::Function<Exchange> {
  using Sizes = std::vector<std::int64_t>;
  static at::Tensor moved(Communicator& ranks, const at::Tensor& rows, const Sizes& in,
                          const Sizes& out) {
    std::int64_t count = 0;
    Sizes of_input, of_output;
    for (const std::int64_t n : in) of_input.push_back(n * rows.size(1));
    for (const std::int64_t n : out) count += n, of_output.push_back(n * rows.size(1));
    const at::Tensor output = at::empty({count, rows.size(1)}, rows.options());
    ranks.all_to_all_v(output.view({-1}), rows.contiguous().view({-1}), of_output, of_input)
        ->wait();
    return output;
  }
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& rows,
                            Communicator* ranks, Sizes in, Sizes out) {
    context->saved_data["ranks"] = reinterpret_cast<std::int64_t>(ranks);
    context->saved_data["in"] = in;
    context->saved_data["out"] = out;
    return moved(*ranks, rows, in, out);
  }
  static TensorList backward(torch::autograd::AutogradContext* context, TensorList gradients) {
    auto& ranks = *reinterpret_cast<Communicator*>(context->saved_data["ranks"].toInt());
    return {moved(ranks, gradients[0], context->saved_data["out"].toIntVector(),
                  context->saved_data["in"].toIntVector()),
            {},
            {},
            {}};
  }
};

class ExpertParallel final : public Cutter, public LayerOp {
 public:
  explicit ExpertParallel(Context& context) : ranks_(context.service<Mesh>().communicator("ep")) {}

  void plan(PlanBuilder& plan) override {
    plan.spread("ep", Spread::micro_batches);
    const std::vector<ParameterInfo> infos = plan.parameters();
    for (std::size_t i = 0; i != infos.size(); ++i) {
      if (infos[i].shard_axes != Names{"ep"}) continue;
      Box box{Shape(infos[i].shape.size(), 0), infos[i].shape};
      if (box.size[0] % ranks_->size() != 0)
        throw ConfigError("ep: " + std::to_string(box.size[0]) + " experts do not divide by " +
                          std::to_string(ranks_->size()) + " ranks");
      box.size[0] /= ranks_->size();
      box.offset[0] = ranks_->rank() * box.size[0];
      plan.cut(ParameterId(i), "ep", box);
    }
  }

  std::optional<Link> bind(LayerId, const Layer& layer,
                           const std::vector<ParameterInfo>&) override {
    return layer.op == kExperts ? std::optional(Link{}) : std::nullopt;
  }
  TensorList apply(LayerId, Tensors in, Tensors weights, Tensors, OpCall&) override {
    const std::int64_t local = weights[0].size(0);
    const at::Tensor order = in[1].argsort(true, 0, false);
    const at::Tensor wanted = in[1].bincount({}, local * ranks_->size());
    const at::Tensor arriving = at::empty_like(wanted);  // [ranks, local], by who sends
    ranks_->all_to_all(arriving, wanted)->wait();
    const Sizes in_sizes = by_rank(wanted), out_sizes = by_rank(arriving);

    const at::Tensor rows =
        Exchange::apply(in[0].index_select(0, order), ranks_.get(), in_sizes, out_sizes);
    // Sorted by sender, then expert: which rows are for which of this rank's experts.
    const at::Tensor expert =
        at::arange(local).repeat({ranks_->size()}).repeat_interleave(arriving);
    const at::Tensor by_expert = expert.argsort(true, 0, false);
    TensorList done;
    std::int64_t from = 0;
    const at::Tensor counts = expert.bincount({}, local);
    for (std::int64_t e = 0; e != local; ++e) {
      const std::int64_t n = counts[e].item<std::int64_t>();
      const at::Tensor x = rows.index_select(0, by_expert.narrow(0, from, n));
      done.push_back(at::silu(x.mm(weights[0][e].t())).mm(weights[1][e].t()));
      from += n;
    }
    const at::Tensor results = at::cat(done).index_select(0, by_expert.argsort(true, 0, false));
    const at::Tensor home = Exchange::apply(results, ranks_.get(), out_sizes, in_sizes);
    return {home.index_select(0, order.argsort(true, 0, false))};
  }

 private:
  using Sizes = std::vector<std::int64_t>;
  Sizes by_rank(const at::Tensor& counts) const {
    const at::Tensor sums = counts.view({ranks_->size(), -1}).sum(1);
    const auto* first = sums.const_data_ptr<std::int64_t>();
    return {first, first + sums.numel()};
  }
  std::unique_ptr<Communicator> ranks_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.probe.moe", MORTISE_VERSION,
               mortise::component<MoeModel, mortise::Model>("moe", "a tiny mixture of experts"),
               mortise::component<ExpertParallel, mortise::Cutter, mortise::LayerOp>(
                   "expert_parallel", "experts over the mesh axis ep"));
