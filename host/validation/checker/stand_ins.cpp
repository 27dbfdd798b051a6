#include "host/validation/checker/stand_ins.hpp"

#include <ATen/ops/zeros.h>

#include <mortise/data/dataset.hpp>
#include <mortise/data/tokenizer.hpp>
#include <mortise/parallel/weight_gradients.hpp>
#include <mortise/run/inference.hpp>

#include "host/cli/metrics_service.hpp"
#include "sdk/conformance/parallel/one_rank.hpp"

namespace mortise::host {
namespace {

constexpr std::int64_t kVocabulary = 257, kContext = 64;

class ByteTokenizer final : public Tokenizer {
 public:
  std::vector<std::uint32_t> encode(std::string_view text) const override {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return {bytes, bytes + text.size()};
  }
  std::string decode(std::span<const std::uint32_t> ids) const override {
    std::string text;
    for (const std::uint32_t id : ids)
      if (id < 256) text.push_back(char(id));
    return text;
  }
  std::int64_t vocabulary_size() const override { return kVocabulary; }
  std::vector<SpecialToken> special_tokens() const override { return {{"end_of_document", 256}}; }
  std::string fingerprint() const override { return "byte/1"; }
};

class NumberedSamples final : public Dataset {
 public:
  DatasetInfo info() const override { return {}; }
  std::int64_t size() const override { return 5; }
  std::vector<Sample> read(std::span<const std::int64_t> indices) const override {
    std::vector<Sample> all;
    for (const std::int64_t i : indices)
      all.push_back({{array_of<std::int64_t>("tokens", DType::int64, {i, i + 1, i + 2})}});
    return all;
  }
  std::string where(std::int64_t index) const override { return "sample " + std::to_string(index); }
};

class StandInCatalog final : public Catalog {
 public:
  std::vector<Offer> find(const std::string& interface_id, const std::string& key) const override {
    if (key != stand_in_name(interface_id)) return {};
    return {
        {"org.mortise.stand_in", key, {{"type", "object"}, {"properties", Json::object()}}, ""}};
  }
  std::vector<std::string> keys(const std::string& interface_id) const override {
    const std::string name = stand_in_name(interface_id);
    if (name.empty()) return {};
    return {name};
  }

 private:
  using Json = nlohmann::json;
};

// Every token is as likely as any other.
class UniformModel final : public TrainedModel {
 public:
  at::Tensor logits(const at::Tensor& tokens) override {
    return at::zeros({tokens.size(0), tokens.size(1), kVocabulary});
  }
  std::unique_ptr<Tokenizer> tokenizer() override { return std::make_unique<ByteTokenizer>(); }
  std::int64_t context_length() const override { return kContext; }
  std::int64_t step() const override { return 1; }
};

class UniformInference final : public Inference {
 public:
  std::unique_ptr<TrainedModel> open(std::string_view) override {
    return std::make_unique<UniformModel>();
  }
};

class UnreadLog final : public Logger {
 public:
  void log(LogLevel, std::string_view) override {}
};

// Nothing is late.
class TasksAtOnce final : public WeightGradients {
 public:
  void add(std::unique_ptr<WeightTask> task) const override { task->run(); }
};

}  // namespace

const Catalog& stand_in_catalog() {
  static const StandInCatalog catalog;
  return catalog;
}

std::string stand_in_name(const std::string& interface_id) {
  if (interface_id == Remote<Tokenizer>::id) return "byte";
  return interface_id == Remote<Dataset>::id ? "numbered" : "";
}

mt_object stand_in(const std::string& interface_id) {
  static ByteTokenizer tokenizer;
  static NumberedSamples samples;
  if (interface_id == Remote<Dataset>::id) return kit::object_of<Dataset>(samples);
  return kit::object_of<Tokenizer>(tokenizer);
}

void offer_stand_ins(Services& services) {
  static UnreadLog log;
  static MetricsService metrics;
  static UniformInference inference;
  static conformance::OneRankMesh mesh;
  services.offer<Logger>(log);
  services.offer<Metrics>(metrics);
  services.offer<Inference>(inference);
  static TasksAtOnce tasks;
  services.offer<Mesh>(mesh);
  services.offer<WeightGradients>(tasks);
}

}  // namespace mortise::host
