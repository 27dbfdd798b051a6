// Probe plugins that train: float32, against references of their own on plain ATen operations.
// Weights after three steps of plain descent agree within kTolerance of their norm, so gradients
// do.

#include <ATen/ATen.h>

#include <cmath>

#include "tests/doctest_with_torch.hpp"
#include "tests/probes/probe_run.hpp"

namespace mortise::tests {
namespace {

constexpr double kTolerance = 1e-6;

std::vector<ParameterInfo> tiny_infos() { return TinyModel().parameters(); }

// Mean cross-entropy of a step of the tiny model, with linear layers of one's own.
using LinearOf = std::function<Linear(const Weights&)>;
StepLoss tiny_loss(const ProbeCase& c, const LinearOf& linear) {
  return [=](const Weights& w, std::int64_t step) {
    at::Tensor sum = at::zeros({});
    for (std::int64_t k = 0; k != c.micro_batches; ++k) {
      const Batch batch = probe_batch(step, k);
      sum = sum + cross_entropy_sum(tiny_logits(w, batch, linear(w)), batch);
    }
    return sum / tokens_of(c, step);
  };
}
Linear plain(const Weights& w) {
  return [&w](const std::string& name, const at::Tensor& x) { return plain_linear(w, name, x); };
}

// ---- lora

void check_lora(const ProbeCase& c, int rank, int size, const std::filesystem::path& store) {
  const ProbeResult got = train_probe(c, rank, size, store, [](ProbeParts& p) {
    auto& lora = p.view<LayerOp>(*p.load("probe_lora", "lora", {{"rank", 2}, {"alpha", 6.0}}));
    p.layer_ops.push_back({&lora, "lora", "*"});
  });
  Weights start = first_weights(tiny_infos());
  for (const auto& [name, in, out] :
       {std::tuple("up", 12, 20), std::tuple("down", 20, 12), std::tuple("head", 12, 31)}) {
    ParameterInfo info;
    info.name = std::string(name) + ".lora_a.weight";
    info.shape = {2, in};
    start[info.name] = small_weights(info);
    start[std::string(name) + ".lora_b.weight"] = at::zeros({out, 2});
  }
  const auto adapted = [](const Weights& w) {
    return [&w](const std::string& name, const at::Tensor& x) {
      const at::Tensor low = plain_linear(w, name + ".lora_a", x);
      return plain_linear(w, name, x) + plain_linear(w, name + ".lora_b", low) * 3.0;
    };
  };
  const auto update = [](const std::string& name, at::Tensor& weight, const at::Tensor& gradient) {
    if (name.find("lora") != std::string::npos) descend(name, weight, gradient);
  };
  require_close(train_reference(c, start, tiny_loss(c, adapted), update), got.weights, kTolerance);
}

// ---- fp8

struct RunningMaxima {
  Weights now, next;
  at::Tensor round(const std::string& name, const at::Tensor& t) {
    const at::Tensor top = t.detach().abs().max(), seen = now[name];
    const at::Tensor scale = 448.0 / (seen.item<float>() > 0 ? seen : top);
    next[name] = at::maximum(next[name], at::maximum(seen * 0.9, top));
    const at::Tensor y =
        (t.detach() * scale).clamp(-448, 448).to(at::kFloat8_e4m3fn).to(at::kFloat) / scale;
    return y.detach() + (t - t.detach());  // straight through
  }
};

void check_fp8(const ProbeCase& c, int rank, int size, const std::filesystem::path& store) {
  const ProbeResult got = train_probe(c, rank, size, store, [](ProbeParts& p) {
    auto& fp8 = p.view<LayerOp>(*p.load("probe_fp8", "fp8", {{"decay", 0.9}}));
    p.layer_ops.push_back({&fp8, "fp8", "*"});
  });
  RunningMaxima maxima;
  for (const char* name : {"up", "down", "head"})
    for (const char* of : {".input_max", ".weight_max"})
      maxima.now[std::string(name) + of] = maxima.next[std::string(name) + of] = at::zeros({});
  const auto rounded = [&](const Weights& w) {
    return [&](const std::string& name, const at::Tensor& x) {
      Weights low = w;
      low[name + ".weight"] = maxima.round(name + ".weight_max", w.at(name + ".weight"));
      return plain_linear(low, name, maxima.round(name + ".input_max", x));
    };
  };
  const Weights expected = train_reference(c, first_weights(tiny_infos()), tiny_loss(c, rounded),
                                           descend, [&](const Weights&) {
                                             maxima.now = maxima.next;
                                             for (auto& [name, value] : maxima.next)
                                               value = at::zeros({});
                                           });
  // A sum in another order may round a value to the next of 8 bits.
  require_close(expected, got.weights, 1e-3);
  require_close(maxima.now, got.buffers, 1e-3);
}

// ---- muon

at::Tensor orthogonal(at::Tensor x) {
  const bool tall = x.size(0) > x.size(1);
  if (tall) x = x.t();
  x = x / x.norm();
  for (int i = 0; i != 5; ++i) {
    const at::Tensor a = x.matmul(x.t());
    x = 3.4445 * x + (-4.775 * a + 2.0315 * a.matmul(a)).matmul(x);
  }
  return tall ? x.t() : x;
}

void check_muon(const ProbeCase& c, int rank, int size, const std::filesystem::path& store) {
  const ProbeResult got = train_probe(c, rank, size, store, [](ProbeParts& p) {
    auto& muon = p.view<Optimizer>(*p.load("probe_muon", "muon", {{"momentum", 0.9}}));
    p.optimizers.push_back({&muon, "muon", {"matrix"}, 0.02});
  });
  Weights momenta;
  const auto update = [&](const std::string& name, at::Tensor& weight, const at::Tensor& gradient) {
    if (name != "up.weight" && name != "down.weight") return descend(name, weight, gradient);
    at::Tensor& momentum = momenta[name];
    momentum = momentum.defined() ? momentum * 0.9 + gradient : gradient.clone();
    const double scale = std::sqrt(std::max(1.0, double(weight.size(0)) / double(weight.size(1))));
    weight.sub_(orthogonal(gradient + momentum * 0.9) * 0.02 * scale);
  };
  require_close(train_reference(c, first_weights(tiny_infos()), tiny_loss(c, plain), update),
                got.weights, 1e-5);
}

// ---- ema

void check_ema(const ProbeCase& c, int rank, int size, const std::filesystem::path& store) {
  const ProbeResult got = train_probe(c, rank, size, store, [](ProbeParts& p) {
    const auto ema = p.load("probe_ema", "ema", {{"decay", 0.75}});
    p.observers.push_back(&p.view<Observer>(*ema));
    p.stateful = &p.view<Stateful>(*ema);
  });
  Weights averages;
  const Weights expected = train_reference(
      c, first_weights(tiny_infos()), tiny_loss(c, plain), descend, [&](const Weights& w) {
        for (const auto& [name, value] : w) {
          at::Tensor& average = averages[name];
          average = average.defined() ? average * 0.75 + value * 0.25 : value.clone();
        }
      });
  averages["steps"] = at::full({}, double(c.steps), at::kFloat);
  require_close(expected, got.weights, kTolerance);
  require_close(averages, got.states, kTolerance);
}

// ---- contrastive

void add_contrastive(ProbeParts& p) {
  p.loss = &p.view<Loss>(*p.load("probe_contrastive", "contrastive", {}));
}

// All micro-batches of a round together: there are as many as ranks.
void check_contrastive(const ProbeCase& c, int rank, int size, const std::filesystem::path& store) {
  const ProbeResult got = train_probe(c, rank, size, store, add_contrastive);
  const auto loss = [&](const Weights& w, std::int64_t step) {
    at::Tensor sum = at::zeros({});
    for (std::int64_t k = 0; k != c.micro_batches; k += size) {
      TensorList logits;
      for (int r = 0; r != size; ++r)
        logits.push_back(tiny_logits(w, probe_batch(step, k + r), plain(w)));
      const at::Tensor z = at::cat(logits);
      const auto half = [&](std::int64_t from) {
        const at::Tensor m = z.narrow(1, from, 4).mean(1);
        return m / m.square().sum(-1, true).sqrt();
      };
      sum = sum - (half(0).matmul(half(4).t()) * 10).log_softmax(-1).diagonal().sum();
    }
    return sum / double(3 * c.micro_batches);
  };
  require_close(train_reference(c, first_weights(tiny_infos()), loss), got.weights, kTolerance);
}

// ---- nn_module

void check_nn_module(const ProbeCase& c, int rank, int size, const std::filesystem::path& store) {
  std::vector<ParameterInfo> infos;
  const ProbeResult got = train_probe(c, rank, size, store, [&](ProbeParts& p) {
    p.model = &p.view<Model>(
        *p.load("probe_nn_module", "nn_module", {{"vocabulary_size", 31}, {"width", 12}}));
    infos = p.model->parameters();
  });
  Weights statistics{{"body.norm.running_mean", at::zeros({12})},
                     {"body.norm.running_var", at::ones({12})},
                     {"body.norm.num_batches_tracked", at::zeros({}, at::kLong)}};
  Weights sums = statistics;
  const auto loss = [&](const Weights& w, std::int64_t step) {
    at::Tensor sum = at::zeros({});
    for (auto& [name, value] : sums) value = at::zeros_like(value);
    for (std::int64_t k = 0; k != c.micro_batches; ++k) {
      const Batch batch = probe_batch(step, k);
      const at::Tensor x = at::embedding(w.at("embed.weight"), batch["tokens"]);
      const at::Tensor h = at::relu(plain_linear(w, "body.layer", x)).flatten(0, 1);
      const at::Tensor mean = h.mean(0), apart = h - mean, n = at::full({}, double(h.size(0)));
      const at::Tensor normed = apart / (apart.square().mean(0) + 1e-5).sqrt();
      const at::Tensor y = normed * w.at("body.norm.weight") + w.at("body.norm.bias");
      sum = sum + cross_entropy_sum(plain_linear(w, "head", x + y.view_as(x)), batch);
      sums["body.norm.running_mean"] += mean.detach();
      sums["body.norm.running_var"] += apart.detach().square().sum(0) / (n - 1);
    }
    return sum / tokens_of(c, step);
  };
  const Weights expected =
      train_reference(c, first_weights(infos), loss, descend, [&](const Weights&) {
        for (auto& [name, value] : statistics) {
          if (value.dim() == 0)
            value += 1;
          else
            value = value * 0.9 + sums[name] * (0.1 / double(c.micro_batches));
        }
      });
  require_close(expected, got.weights, 1e-5);
  require_close(statistics, got.buffers, 1e-5);
}

using Check = void (*)(const ProbeCase&, int, int, const std::filesystem::path&);

bool holds(Check check, const ProbeCase& c, int size) {
  return on_ranks(size, [&](int rank, const auto& store) { check(c, rank, size, store); });
}

}  // namespace

TEST_CASE("probe lora: adapters train beside frozen layers") {
  for (const int size : {1, 2})
    for (const char* owner : {"fsdp", "ddp"}) CHECK(holds(check_lora, {owner}, size));
}

TEST_CASE("probe fp8: running scales are the largest of all micro-batches and ranks") {
  for (const int size : {1, 2, 3})
    for (const bool recompute : {false, true})
      CHECK(holds(check_fp8, {"fsdp", 3, 5, recompute}, size));
}

TEST_CASE("probe muon: matrices are stepped whole, other parameters by another optimizer") {
  for (const int size : {1, 2, 3})
    for (const char* owner : {"fsdp", "ddp"}) CHECK(holds(check_muon, {owner}, size));
}

TEST_CASE("probe ema: an observer averages what its rank owns") {
  for (const int size : {1, 2})
    for (const char* owner : {"fsdp", "ddp"}) CHECK(holds(check_ema, {owner}, size));
}

TEST_CASE("probe contrastive: the loss sees all ranks, and gradients go back to them") {
  for (const int size : {1, 2})
    for (const bool recompute : {false, true})
      CHECK(holds(check_contrastive, {"fsdp", 3, 4, recompute}, size));
}

TEST_CASE("probe contrastive: a rank without a micro-batch is refused on all ranks") {
  CHECK(on_ranks(2, [](int rank, const auto& store) {
    ProbeCase c;
    c.micro_batches = 3;
    try {
      train_probe(c, rank, 2, store, add_contrastive);
    } catch (const ConfigError& e) {
      if (std::string(e.what()).find("they have 0 to 3 sequences") != std::string::npos) return;
      throw;
    }
    throw std::runtime_error("not refused");
  }));
}

TEST_CASE("probe nn_module: a module with batch normalisation trains under ddp") {
  for (const int size : {1, 2})
    for (const bool recompute : {false, true})
      CHECK(holds(check_nn_module, {"ddp", 3, 4, recompute}, size));
}

}  // namespace mortise::tests
