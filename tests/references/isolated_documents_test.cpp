// `documents: isolated` against the same documents as separate sequences: packed file, data set,
// batch, model and loss as a run takes them on one side, each document alone on the other.

#include <ATen/ATen.h>

#include <mortise/random.hpp>

#include "host/checkpoint/box.hpp"
#include "host/distributed/mesh.hpp"
#include "host/engine/engine.hpp"
#include "host/training/sample_batch.hpp"
#include "plugins/data/pbin/pbin_writer.hpp"
#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"
#include "tests/unit/plugins_model/checks.hpp"

namespace mortise::tests {
namespace {

constexpr std::int64_t kVocabulary = 31, kLength = 24;
// Three samples of 24 inputs: one whole, one in which a document of one token and one of two stand
// between others, one that ends with a document; every sample but the first begins inside one.
const std::vector<std::int64_t> kSizes = {24, 5, 9, 1, 2, 17, 3, 12};

struct Packed {
  std::vector<std::int64_t> ids, starts;
  std::string path;
};

Packed pack(const ScratchFolder& folder) {
  Packed packed;
  packed.path = folder.path("a.pbin");
  pbin::PbinWriter writer(packed.path, 1, pbin::PartialFile::Busy::fail);
  for (const std::int64_t size : kSizes) {
    packed.starts.push_back(std::int64_t(packed.ids.size()));
    std::vector<std::uint32_t> document;
    for (std::int64_t i = 0; i != size; ++i) {
      document.push_back(std::uint32_t(packed.ids.size() * 7 + 3) % kVocabulary);
      packed.ids.push_back(document.back());
    }
    writer.add(document);
    writer.end_document();
  }
  writer.finish({});
  writer.publish();
  return packed;
}

// One row of tokens with its targets, positions from 0.
Batch alone(const std::vector<std::int64_t>& ids, std::int64_t from, std::int64_t to) {
  const at::Tensor all =
      at::tensor(std::vector<std::int64_t>(ids.begin() + from, ids.begin() + to)).unsqueeze(0);
  const std::int64_t length = to - from - 1;
  Batch batch;
  batch.set("tokens", all.narrow(1, 0, length).contiguous());
  batch.set("targets", all.narrow(1, 1, length).contiguous());
  batch.set("positions", at::arange(length, at::kLong).unsqueeze(0));
  return batch;
}

// What each sample [first, first + T + 1) holds of each document, as a sequence of its own.
std::vector<Batch> separate(const Packed& packed) {
  std::vector<Batch> all;
  const auto end = std::int64_t(packed.ids.size());
  for (std::int64_t first = 0; first + kLength + 1 <= end; first += kLength)
    for (std::size_t d = 0; d != packed.starts.size(); ++d) {
      const std::int64_t last = d + 1 == packed.starts.size() ? end : packed.starts[d + 1];
      const std::int64_t from = std::max(first, packed.starts[d]),
                         to = std::min(first + kLength + 1, last);
      if (to - from > 1) all.push_back(alone(packed.ids, from, to));
    }
  return all;
}

Batch isolated(const Packed& packed) {
  const LoadedComponent data("packed_tokens", "packed_tokens",
                             {{"files", std::vector{packed.path}},
                              {"sequence_length", kLength},
                              {"documents", "isolated"}});
  const auto set = data.as<Dataset>();
  REQUIRE(set.size() == 3);
  return host::batch_of(set, {0, 1, 2}, {kLength, kVocabulary, true});
}

SettingList settings_of(const std::string& model, const char* documents, const char* positions) {
  SettingList all = {{"width", 16},
                     {"layers", 2},
                     {"heads", 4},
                     {"hidden", 20},
                     {"vocabulary_size", kVocabulary},
                     {"context_length", kLength},
                     {"documents", documents}};
  if (model == "llama") all.insert(all.end(), {{"kv_heads", 2}, {"qk_norm", true}});
  if (model == "gpt2") all.emplace_back("positions", positions);
  return all;
}

struct Case {
  std::string model;
  const char* positions;
};
const std::vector<Case> kCases = {{"llama", ""}, {"gpt2", "learned"}, {"gpt2", "rotary"}};

at::Tensor first_weight(const ParameterInfo& info) {
  const at::Tensor values = at::empty(info.shape, at::kDouble);
  for (std::int64_t i = 0; i != values.numel(); ++i)
    values.data_ptr<double>()[i] =
        double(mortise::random::bits(mortise::random::key_of(5, info.name), std::uint64_t(i)) >>
               40) /
            (1 << 24) -
        0.5;
  return info.role == Role::norm ? values.mul(0.4).add(1) : values;
}

// A model with the host's own operations and the loss written out, in any type.
class Alone final : public UnitContext {
 public:
  Alone(Model& model, at::ScalarType type) : model_(model), layers_(model.layers()) {
    for (const ParameterInfo& info : model.parameters())
      weights.push_back(first_weight(info).to(type).requires_grad_(true));
    for (const Layer& layer : layers_) operations_.emplace_back(layer);
  }
  at::Tensor loss(const Batch& batch) {
    batch_ = &batch;
    TensorList hidden;
    for (std::int64_t u = 0; u != std::int64_t(model_.units().size()); ++u)
      hidden = model_.forward_unit({.unit = u}, *this, hidden, batch);
    return sum_;
  }
  TensorList apply(LayerId id, Tensors inputs) override {
    TensorList own;
    for (const ParameterId p : layers_[std::size_t(id)].parameters)
      own.push_back(weights[std::size_t(p)]);
    return operations_[std::size_t(id)](inputs, own, true);
  }
  at::Tensor end(LayerId layer, const at::Tensor& hidden) override {
    const at::Tensor targets = (*batch_)["targets"].flatten();
    const at::Tensor logs = apply(layer, hidden)[0].flatten(0, 1).log_softmax(-1);
    sum_ = at::nll_loss(logs, targets, {}, at::Reduction::Sum, -100);
    return {};
  }
  at::Tensor parameter(ParameterId p) override { return weights[std::size_t(p)]; }
  at::Tensor buffer(std::string_view) override { return {}; }
  void term(std::string_view, const at::Tensor&, Denominator, double) override {}
  void update(std::string_view, const at::Tensor&) override {}
  void record(std::string_view, const at::Tensor&) override {}

  TensorList weights;

 private:
  Model& model_;
  std::vector<Layer> layers_;
  std::vector<host::EagerOp> operations_;
  const Batch* batch_ = nullptr;
  at::Tensor sum_;
};

double distance(const at::Tensor& a, const at::Tensor& b) {
  return a.sub(b).norm().item<double>() / std::max(1e-30, b.norm().item<double>());
}

// Each within the tolerance of its own norm. What softmax does not see, such as the bias of a key,
// is rounding alone on both sides.
void check_close(const TensorList& got, const TensorList& wanted, double tolerance) {
  REQUIRE(got.size() == wanted.size());
  double largest = 0;
  for (const at::Tensor& t : wanted) largest = std::max(largest, t.norm().item<double>());
  for (std::size_t p = 0; p != got.size(); ++p) {
    CAPTURE(p);
    if (wanted[p].norm().item<double>() < 1e-6 * largest)
      CHECK(got[p].norm().item<double>() < 1e-6 * largest);
    else
      CHECK(distance(got[p], wanted[p]) < tolerance);
  }
}

TensorList gradients_of(const TensorList& weights) {
  TensorList all;
  for (const at::Tensor& w : weights) all.push_back(w.grad());
  return all;
}

class NamedWeights final : public Initializer {
 public:
  void fill(const Piece& piece, const ParameterInfo& info, std::uint64_t) override {
    at::Tensor master = piece.master;
    host::copy_common(host::whole_box(info.shape), first_weight(info).to(at::kFloat).flatten(),
                      piece.box, master);
  }
};

// Loss and gradients of a step of one rank, through engine, owner and the loss's plugin.
std::pair<double, TensorList> step(const Case& c, const char* documents,
                                   const std::vector<Batch>& batches, host::Recompute recompute) {
  host::HostMesh mesh({{"dp", 1}}, {}, nullptr, std::chrono::milliseconds(60000));
  host::WeightGradientQueue tasks;
  const LoadedComponent model(c.model, c.model, settings_of(c.model, documents, c.positions)),
      loss("cross_entropy", "cross_entropy"), adamw("adamw", "adamw"),
      owner("fsdp", "fsdp", {}, {{}, 0, {{Remote<Mesh>::id, kit::object_of<Mesh>(mesh)}}});
  auto m = model.as<Model>();
  auto l = loss.as<Loss>();
  auto o = owner.as<Owner>();
  auto optimizer = adamw.as<Optimizer>();
  host::Engine engine({m, l, o, {}, {{&optimizer, "adamw", {}, 1e-3}}, {}, {mesh}, tasks},
                      {1, {}, 2, std::move(recompute)});
  NamedWeights weights;
  engine.parameters().initialize(weights, 1);
  host::StepInput input;
  input.micro_batches = std::int64_t(batches.size());
  for (const Batch& batch : batches) input.rounds.emplace_back(batch);
  const double value = host::read(engine.train(input)).loss;
  TensorList gradients;
  for (const Piece& p : engine.parameters().pieces()) gradients.push_back(p.gradient.clone());
  return {value, gradients};
}

}  // namespace

TEST_CASE("isolated documents: loss and gradients are those of separate sequences") {
  const ScratchFolder folder;
  const Packed packed = pack(folder);
  for (const Case& c : kCases)
    for (const auto& [type, tolerance] :
         {std::pair(at::kDouble, 1e-12), std::pair(at::kFloat, 1e-5)}) {
      CAPTURE(c.model);
      CAPTURE(c.positions);
      CAPTURE(tolerance);
      const LoadedComponent joined(c.model, c.model, settings_of(c.model, "joined", c.positions)),
          parted(c.model, c.model, settings_of(c.model, "isolated", c.positions));
      auto one = joined.as<Model>(), other = parted.as<Model>();
      Alone apart(one, type), together(other, type);
      at::Tensor sum = at::zeros({}, type);
      for (const Batch& batch : separate(packed)) sum = sum.add(apart.loss(batch));
      const at::Tensor loss = together.loss(isolated(packed));
      sum.backward();
      loss.backward();
      CHECK(distance(loss, sum) < tolerance);
      check_close(gradients_of(together.weights), gradients_of(apart.weights), tolerance);
    }
}

TEST_CASE("isolated documents: a step of the engine is that of separate sequences") {
  const ScratchFolder folder;
  const Packed packed = pack(folder);
  for (const Case& c : kCases)
    for (const auto kind : {host::Recompute::Kind::none, host::Recompute::Kind::all}) {
      CAPTURE(c.model);
      CAPTURE(c.positions);
      const auto [wanted, gradients] = step(c, "joined", separate(packed), {});
      const auto [loss, got] = step(c, "isolated", {isolated(packed)}, {kind, 1, {}});
      CHECK(std::abs(loss / wanted - 1) < 1e-5);
      check_close(got, gradients, 1e-5);
    }
}

TEST_CASE("isolated documents: joined ones give another loss") {
  const ScratchFolder folder;
  const Packed packed = pack(folder);
  for (const Case& c : kCases) {
    const Batch batch = isolated(packed);
    Batch blind;
    for (const char* name : {"tokens", "targets", "positions"}) blind.set(name, batch[name]);
    const auto [wanted, gradients] = step(c, "joined", separate(packed), {});
    CHECK(std::abs(step(c, "joined", {blind}, {}).first / wanted - 1) > 1e-4);
  }
}

TEST_CASE("isolated documents: who does not know the attribute is not given document_ids") {
  const Layer joined{"attention", "mortise.op/attention/1", {}, {{"causal", true}}};
  const at::Tensor x = at::ones({1, 1, 2, 4}), ids = at::zeros({1, 2}, at::kLong);
  CHECK_THROWS_WITH_AS(host::EagerOp{joined}({x, x, x, ids}, {}, true),
                       doctest::Contains("documents: isolated"), Error);
  Layer unknown = joined;
  unknown.attributes.set("documents", std::string("scattered"));
  CHECK_THROWS_WITH_AS(host::EagerOp{unknown}, doctest::Contains("scattered"), Error);
  Layer isolated = joined;
  isolated.attributes.set("documents", std::string("isolated"));
  CHECK(host::EagerOp{isolated}({x, x, x}, {}, true).size() == 1);  // one text: inference
  CHECK_THROWS_AS((host::EagerOp{isolated}({x, at::ones({1, 1, 3, 4}), x, ids}, {}, true)),
                  ShapeError);
}

TEST_CASE("isolated documents: a link that does not know the attribute does not bind") {
  host::HostMesh mesh({{"dp", 1}}, {}, nullptr, std::chrono::milliseconds(60000));
  const LoadedComponent ring("probe_ring_attention", "ring_attention", {},
                             {{}, 0, {{Remote<Mesh>::id, kit::object_of<Mesh>(mesh)}}}),
      cache("kv_cache", "kv_cache");
  const Layer joined{"attention", "mortise.op/attention/1", {}, {{"causal", true}}};
  Layer isolated = joined;
  isolated.attributes.set("documents", std::string("isolated"));
  CHECK(ring.as<LayerOp>().bind(LayerId{}, joined, {}).has_value());
  CHECK_FALSE(ring.as<LayerOp>().bind(LayerId{}, isolated, {}).has_value());
  CHECK(cache.as<LayerOp>().bind(LayerId{}, isolated, {}).has_value());
}

}  // namespace mortise::tests
