// Decoding with a cache gives the logits of the whole text: float32, within 1e-5.

#include <ATen/ATen.h>

#include "host/distributed/mesh.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/probes/probe_run.hpp"

namespace mortise::tests {
namespace {

// Counts the positions that linear layers compute.
class Counter final : public LayerOp {
 public:
  std::optional<Link> bind(LayerId, const Layer& layer,
                           const std::vector<ParameterInfo>&) override {
    return layer.op == "mortise.op/linear/1" ? std::optional(Link{}) : std::nullopt;
  }
  TensorList apply(LayerId, Tensors inputs, Tensors weights, Tensors, OpCall& next) override {
    positions += inputs[0].size(1);
    return next.next(inputs, weights);
  }
  std::int64_t positions = 0;
};

// An engine with one model and the cache, for inference.
struct Decoder {
  explicit Decoder(const std::string& model, const SettingList& settings)
      : mesh({{"dp", 1}}, {}, nullptr, std::chrono::seconds(60)) {
    parts.surroundings.services[Remote<Mesh>::id] = kit::object_of<Mesh>(mesh);
    engine = std::make_unique<host::Engine>(
        host::EngineParts{
            parts.view<Model>(*parts.load(model, model, settings)),
            cross_entropy,
            parts.view<Owner>(*parts.load("fsdp", "fsdp", {})),
            {{&parts.view<LayerOp>(*parts.load("kv_cache", "kv_cache", {})), "kv_cache", "*"},
             {&counter, "counter", "*"}},
            {},
            {},
            {mesh},
            queue},
        host::EngineSettings{});
    for (const Piece& p : engine->parameters().pieces()) {
      const ParameterInfo& info = engine->parameters().infos()[std::size_t(p.parameter)];
      p.master.narrow(0, 0, p.box.count()).copy_(small_weights(info).flatten());
    }
  }
  host::HostMesh mesh;
  ProbeParts parts;
  PlainCrossEntropy cross_entropy;
  Counter counter;
  host::WeightGradientQueue queue;
  std::unique_ptr<host::Engine> engine;
};

Batch part_of(const at::Tensor& tokens, std::int64_t from, std::int64_t count) {
  Batch batch;
  batch.set("tokens", tokens.narrow(1, from, count).contiguous());
  batch.set("positions",
            at::arange(from, from + count, at::kLong).expand({tokens.size(0), count}).contiguous());
  return batch;
}

const SettingList kSizes = {{"width", 24},           {"layers", 3},          {"heads", 4},
                            {"vocabulary_size", 40}, {"context_length", 16}, {"hidden", 32}};

}  // namespace

TEST_CASE("probe kv_cache: decoding in any parts equals the whole forward pass") {
  SettingList grouped = kSizes;
  grouped.emplace_back("kv_heads", 2);
  grouped.emplace_back("qk_norm", true);
  for (const auto& [model, settings] : {std::pair("llama", grouped), std::pair("gpt2", kSizes)}) {
    CAPTURE(std::string(model));
    Decoder decoder(model, settings);
    const at::Tensor tokens = at::randint(0, 40, {2, 16}, at::kLong);
    const at::Tensor whole = decoder.engine->infer(part_of(tokens, 0, 16));
    const std::int64_t of_whole = decoder.counter.positions;
    for (const std::vector<std::int64_t>& parts :
         {std::vector<std::int64_t>{5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
          std::vector<std::int64_t>{1, 7, 3, 5}, std::vector<std::int64_t>{16}}) {
      host::KeptStates kept;
      decoder.counter.positions = 0;
      std::int64_t from = 0;
      for (const std::int64_t count : parts) {
        const at::Tensor logits = decoder.engine->decode(part_of(tokens, from, count), kept);
        CHECK(at::allclose(logits, whole.narrow(1, from, count), 1e-5, 1e-5));
        from += count;
      }
      CHECK(decoder.counter.positions == of_whole);  // each position once
    }
    CHECK(at::equal(decoder.engine->infer(part_of(tokens, 0, 16)), whole));
  }
}

}  // namespace mortise::tests
