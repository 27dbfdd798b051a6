// Kinds without a plugin of ours yet, and those that need one of them: fakes that keep their
// contracts, and faults that are found.

#include "sdk/conformance/model/layer_op_contract.hpp"
#include "sdk/conformance/run/command_contract.hpp"
#include "sdk/conformance/run/inference_contract.hpp"
#include "sdk/conformance/run/observer_contract.hpp"
#include "sdk/conformance/run/stateful_contract.hpp"
#include "tests/contract/captured_output.hpp"
#include "tests/contract/plugin_contract.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/no_failures.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;

// A low-rank adapter of linear layers (Hu et al. 2021).
class Adapter final : public LayerOp {
 public:
  std::optional<Link> bind(LayerId, const Layer& layer,
                           const std::vector<ParameterInfo>& own) override {
    if (layer.op != "mortise.op/linear/1") return std::nullopt;
    if (!layer.attributes.entries().empty() && !takes_everything) return std::nullopt;
    Link link;
    ParameterInfo info = own.at(0);
    info.name = layer.name + ".down";
    info.shape = {2, own[0].shape[1]};
    link.parameters.push_back(info);
    info.name = clashes ? own[0].name : layer.name + ".up";
    info.shape = {own[0].shape[0], 2};
    link.parameters.push_back(info);
    return link;
  }
  TensorList apply(LayerId, Tensors inputs, Tensors weights, Tensors extra, OpCall& next) override {
    const at::Tensor y = next.next(inputs, weights)[0];
    const at::Tensor low = next.next(inputs, extra.first(1))[0];
    const at::Tensor up = cuts_graph ? extra[1].detach() : extra[1];
    return {y + next.next(low, up)[0] * 2.0};
  }
  bool takes_everything = false, clashes = false, cuts_graph = false;
};

conformance::LayerOpCase linear_case() {
  conformance::LayerOpCase c;
  c.own = {conformance::sample_parameter("proj.weight", {5, 4}, Role::matrix, {1})};
  c.layer = {"proj", "mortise.op/linear/1", {ParameterId(0)}, {}};
  c.inputs = {conformance::sample_values("input", {3, 4}).to(at::kFloat)};
  return c;
}

// A moving average of the weights.
class Average final : public Observer, public Stateful {
 public:
  void after_step(const StepInfo&, const std::vector<Piece>& pieces) override {
    for (const Piece& p : pieces) {
      at::Tensor& mean = means_[std::int64_t(p.parameter)];
      if (!mean.defined()) mean = at::zeros_like(p.master);
      mean.mul_(0.9).add_(p.master, 0.1);
      if (scribbles) p.master.add_(1);
    }
  }
  std::vector<State> state() const override {
    std::vector<State> all;
    for (const auto& [id, mean] : means_)
      all.push_back({"mean." + std::to_string(id), mean.sizes().vec(),
                     conformance::whole_box(mean.sizes().vec()), mean});
    return all;
  }
  void load(const std::vector<State>& state) override {
    if (ignores_load) return;
    means_.clear();
    for (const State& s : state) means_[std::stoll(s.name.substr(5))] = s.value.clone();
  }
  bool scribbles = false, ignores_load = false;

 private:
  std::map<std::int64_t, at::Tensor> means_;
};

class Letters final : public Tokenizer {
 public:
  std::vector<std::uint32_t> encode(std::string_view t) const override {
    return std::vector<std::uint32_t>(t.size(), 1);
  }
  std::string decode(std::span<const std::uint32_t> ids) const override {
    return std::string(ids.size(), 'a');
  }
  std::int64_t vocabulary_size() const override { return 3; }
  std::vector<SpecialToken> special_tokens() const override { return {}; }
  std::string fingerprint() const override { return "letters"; }
};

class Uniform final : public TrainedModel {
 public:
  explicit Uniform(bool checks) : checks_(checks) {}
  at::Tensor logits(const at::Tensor& tokens) override {
    if (checks_ && (tokens.lt(0) | tokens.ge(3)).any().item<bool>())
      throw Error(ErrorCode::bad_argument, "id");
    if (checks_ && tokens.size(1) > 8) throw Error(ErrorCode::bad_argument, "too long");
    return at::zeros({tokens.size(0), tokens.size(1), 3});
  }
  at::Tensor decode(const at::Tensor& tokens) override {
    decoded_ += tokens.size(1);
    if (checks_ && decoded_ > 8) throw Error(ErrorCode::bad_argument, "too long");
    return logits(tokens) + (checks_ ? 0 : 1);
  }
  void restart() override { decoded_ = 0; }
  std::unique_ptr<Tokenizer> tokenizer() override { return std::make_unique<Letters>(); }
  std::int64_t context_length() const override { return 8; }
  std::int64_t step() const override { return 2; }

 private:
  bool checks_;
  std::int64_t decoded_ = 0;
};

class Folder final : public Inference {
 public:
  std::unique_ptr<TrainedModel> open(std::string_view path) override {
    if (path != "run") throw Error(ErrorCode::storage, std::string(path) + " has no checkpoint");
    return std::make_unique<Uniform>(checks);
  }
  bool checks = true;
};

}  // namespace

TEST_CASE("layer operations: an adapter keeps the contract, faults are found") {
  Adapter good;
  Report report;
  conformance::both_ways<LayerOp>(good, report, [&](LayerOp& op) {
    conformance::check_layer_op_contract(op, linear_case(), report);
  });
  check_no_failures(report);
  const auto finds = [](const char* part, bool Adapter::*fault) {
    Adapter op;
    op.*fault = true;
    Report r;
    conformance::check_layer_op_contract(op, linear_case(), r);
    INFO(r.text());
    CHECK(found(r, part));
  };
  finds("a layer with an unknown attribute is not taken", &Adapter::takes_everything);
  finds("names of new parameters are global and new", &Adapter::clashes);
  finds("gradients flow to what was bound", &Adapter::cuts_graph);
}

TEST_CASE("observers: a moving average keeps the contract, faults are found") {
  Average good;
  Report report;
  conformance::both_ways<Observer>(good, report, [&](Observer& o) {
    conformance::check_observer_contract(o, report);
    conformance::check_observer_without_pieces(o, report);
  });
  check_no_failures(report);
  Average bad;
  bad.scribbles = true;
  Report r;
  conformance::check_observer_contract(bad, r);
  CHECK(found(r, "padding stays zero"));
}

TEST_CASE("stateful: a moving average keeps the contract, faults are found") {
  Piece piece = conformance::empty_piece(ParameterId(3), conformance::whole_box({5, 4}));
  piece.master.fill_(1);
  for (const bool faulty : {false, true}) {
    Average average;
    average.ignores_load = faulty;
    const auto change = [&] { average.after_step({}, {piece}); };
    change();
    Report report;
    conformance::both_ways<Stateful>(average, report, [&](Stateful& s) {
      conformance::check_stateful_contract(s, change, report);
    });
    if (!faulty) check_no_failures(report);
    CHECK(found(report, "load: brings back what state() gave") == faulty);
  }
}

TEST_CASE("inference: a fake keeps the contract, faults are found") {
  for (const bool checks : {true, false}) {
    Folder service;
    service.checks = checks;
    Report report;
    conformance::both_ways<Inference>(service, report, [&](Inference& i) {
      conformance::check_inference_contract(i, "run", report);
    });
    if (checks) check_no_failures(report);
    CHECK(found(report, "refuses an id that is out of range") == !checks);
    CHECK(found(report, "refuses more tokens than context_length") == !checks);
    CHECK(found(report, "decode: the logits of the whole text") == !checks);
    CHECK(found(report, "decode: refuses more positions") == !checks);
  }
}

TEST_CASE("generate: keeps the contract of a command, with a model and without one") {
  const ScratchFolder folder;
  Folder service;
  for (const char* run : {"run", "absent"}) {
    CAPTURE(std::string(run));
    const auto make = [&] {
      return std::make_unique<LoadedComponent>(
          "generate", "generate", SettingList{{"run", run}, {"prompt", "abc"}, {"tokens", 3}},
          Surroundings{.services = {{Remote<Inference>::id, kit::object_of<Inference>(service)}}});
    };
    Report report;
    {
      const CapturedOutput captured(folder.path("output"));
      check_fresh_both_ways<Command>(report, make, [&](Command& command) {
        conformance::check_command_contract(command, report);
      });
    }
    check_no_failures(report);
    CHECK(folder.read("output").empty() == (std::string_view(run) == "absent"));
  }
}
