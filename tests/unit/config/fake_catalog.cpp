#include "tests/unit/config/fake_catalog.hpp"

namespace mortise::tests {
namespace {

struct Component {
  const char* interface_id;
  const char* key;
  const char* settings;
  const char* plugin = "org.mortise.test";
  const char* file = "mortise_test.so";
  const char* version = "0.1.0";
};

constexpr const char* kNone = R"({"type": "object", "properties": {}})";

constexpr const char* kAdamw = R"({"type": "object", "properties": {
  "betas": {"type": "array", "items": {"type": "number"}, "minimum": 0, "maximum": 1, "default": [0.9, 0.95], "doc": "decay of the moments"},
  "weight_decay": {"type": "number", "minimum": 0, "default": 0.1},
  "epsilon": {"type": "number", "default": 1e-8, "known_as": ["eps"]},
  "no_decay": {"type": "array", "items": {"type": "string"}, "default": ["norm", "bias"]},
  "fused": {"type": "boolean", "default": true}}})";

constexpr const char* kLlama = R"({"type": "object", "properties": {
  "width": {"type": "integer", "required": true, "minimum": 1, "multiple_of": 2, "known_as": ["n_embd", "hidden_size"], "doc": "size of a position"},
  "layers": {"type": "integer", "required": true, "minimum": 1, "known_as": ["n_layer"]},
  "heads": {"type": "integer", "required": true, "minimum": 1},
  "kv_heads": {"type": "integer", "minimum": 1, "maximum": 65535},
  "vocabulary_size": {"type": "integer", "default_path": "tokenizer.vocabulary_size"},
  "context": {"type": "integer", "default_path": "batch.sequence_length"},
  "dropout": {"type": "number", "default": 0.0, "minimum": 0, "maximum": 1},
  "tie": {"type": "boolean", "default": false},
  "activation": {"type": "string", "enum": ["silu", "gelu"], "default": "silu"},
  "rope": {"type": "object", "properties": {"base": {"type": "number", "default": 10000}, "window": {"type": "integer"}}},
  "attention": {"component": "mortise/layer_op/1"}},
  "rules": [{"rule": "multiple_of", "a": "width", "b": "heads"}, {"rule": "requires", "a": "kv_heads", "b": "heads"}]})";

constexpr const char* kText = R"({"type": "object", "properties": {
  "files": {"type": "array", "single": true, "required": true, "items": {"type": "string"}, "meaning": "path"},
  "tokenizer": {"component": "mortise/tokenizer/1"},
  "cache_bytes": {"type": "integer", "meaning": "bytes", "default": "16 MiB"},
  "limit": {"type": "integer", "meaning": "tokens"},
  "language": {"type": "string"}}})";

constexpr const char* kMixture = R"({"type": "object", "properties": {
  "sources": {"type": "map", "required": true, "values": {"component": "mortise/dataset/1"}},
  "stages": {"type": "array", "items": {"type": "object", "properties": {
    "until": {"type": "string", "meaning": "amount", "required": true},
    "weights": {"type": "map", "values": {"type": "number", "minimum": 0}}}}}}})";

constexpr const char* kCosine = R"({"type": "object", "properties": {
  "warmup": {"type": "string", "meaning": "amount", "default": "2%"},
  "final": {"type": "number", "default": 0.1, "minimum": 0, "maximum": 1},
  "steps": {"type": "integer", "default_path": "run.steps"},
  "scale": {"type": "number", "default_path": "run.steps"},
  "start": {"type": "integer", "default": 0},
  "end": {"type": "integer", "default": 10}},
  "rules": [{"rule": "less_than", "a": "start", "b": "end"}]})";

constexpr const char* kTracker = R"({"type": "object", "properties": {
  "address": {"type": "string", "default": "http://localhost"},
  "token": {"type": "string"},
  "port": {"type": "integer", "minimum": 1, "maximum": 65535},
  "flush": {"type": "number", "meaning": "duration", "default": 30}}})";

constexpr const char* kBroken = R"({"type": "object", "properties": {"x": {"type": "array"}}})";

constexpr Component kComponents[] = {
    {"mortise/tokenizer/1", "byte",
     R"({"type": "object", "properties": {"lower": {"type": "boolean", "default": false}}})"},
    {"mortise/tokenizer/1", "huggingface",
     R"({"type": "object", "properties": {"folder": {"type": "string", "meaning": "path", "required": true}}})"},
    {"mortise/dataset/1", "text", kText},
    {"mortise/dataset/1", "packed_tokens", kText},
    {"mortise/dataset/1", "mixture", kMixture},
    {"mortise/sample_order/1", "keyed_permutation",
     R"({"type": "object", "properties": {"rounds": {"type": "integer", "default": 8}}})"},
    {"mortise/model/1", "llama", kLlama},
    {"mortise/model/1", "gpt2", kLlama},
    {"mortise/model/1", "net", kNone, "org.x.models", "a.so", "1.2"},
    {"mortise/model/1", "net", kLlama, "com.y.nets", "b.so", "0.3"},
    {"mortise/model/1", "broken", kBroken},
    {"mortise/initializer/1", "scaled_normal",
     R"({"type": "object", "properties": {"deviation": {"type": "number", "default": 0.02}}})"},
    {"mortise/loss/1", "cross_entropy", kNone},
    {"mortise/optimizer/1", "adamw", kAdamw},
    {"mortise/optimizer/1", "muon",
     R"({"type": "object", "properties": {"momentum": {"type": "number", "default": 0.95}}})"},
    {"mortise/learning_rate_schedule/1", "warmup_cosine", kCosine},
    {"mortise/learning_rate_schedule/1", "constant", kNone},
    {"mortise/layer_op/1", "lora",
     R"({"type": "object", "properties": {"rank": {"type": "integer", "default": 8}, "inner": {"component": "mortise/layer_op/1"}}})"},
    {"mortise/observer/1", "ema", kNone},
    {"mortise/owner/1", "fsdp",
     R"({"type": "object", "properties": {"reshard": {"type": "boolean", "default": true}, "reduction": {"type": "string", "enum": ["step", "micro_batch"], "default": "step"}}})"},
    {"mortise/owner/1", "ddp", kNone},
    {"mortise/cutter/1", "tensor_parallel",
     R"({"type": "object", "properties": {"sequence": {"type": "boolean", "default": false}}})"},
    {"mortise/metric_sink/1", "console", kNone},
    {"mortise/metric_sink/1", "jsonl", kNone},
    {"mortise/metric_sink/1", "mlflow", kTracker},
};

}  // namespace

std::vector<host::Catalog::Offer> FakeCatalog::find(const std::string& interface_id,
                                                    const std::string& key) const {
  std::vector<Offer> found;
  for (const Component& one : kComponents) {
    if (interface_id != one.interface_id || key != one.key) continue;
    found.push_back(
        {one.plugin, one.key, nlohmann::json::parse(one.settings), one.file, one.version});
  }
  return found;
}

std::vector<std::string> FakeCatalog::keys(const std::string& interface_id) const {
  std::vector<std::string> keys;
  for (const Component& one : kComponents) {
    const bool fresh = keys.empty() || keys.back() != one.key;
    if (interface_id == one.interface_id && fresh) keys.push_back(one.key);
  }
  return keys;
}

std::string FakeCatalog::why_absent(const std::string&, const std::string& key) const {
  return key == "refused" ? "bad.so offers it, but was refused: P1012: built for LibTorch 2.12"
                          : "";
}

}  // namespace mortise::tests
