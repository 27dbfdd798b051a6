#include "host/config/run_schema.hpp"

namespace mortise::host {
namespace {

constexpr const char* kRunSections = R"json({
"type": "object", "sections": true, "reserved": ["models", "program"],
"properties": {
  "mortise": {"type": "integer", "required": true, "enum": [1], "doc": "version of this format: write mortise: 1"},
  "include": {"type": "array", "single": true, "items": {"type": "string"}, "doc": "files to lay under this one, in order"},
  "plugins": {"type": "object", "doc": "where plugins are found; a bare list means folders", "properties": {
    "folders": {"type": "array", "single": true, "items": {"type": "string", "meaning": "path"}, "doc": "folders of plugins"},
    "files": {"type": "array", "single": true, "items": {"type": "string", "meaning": "path"}, "doc": "single plugins"},
    "policy": {"type": "string", "enum": ["off", "warn", "require"], "doc": "whether plugin files that others may write are refused; can only tighten the operator's policy"}}},
  "run": {"type": "object", "required": true, "doc": "how long, where, on what",
    "rules": [{"rule": "exactly_one", "of": ["steps", "tokens", "epochs"]}],
    "properties": {
      "name": {"type": "string", "meaning": "name", "doc": "name of the run and its folder; default the file's stem"},
      "seed": {"type": "integer", "default": 1337, "minimum": 0, "doc": "weights, order and dropout follow from it"},
      "steps": {"type": "integer", "meaning": "tokens", "minimum": 1, "unit": "optimizer updates", "known_as": ["max_steps", "max_iters", "iterations", "train_iters", "num_steps"], "doc": "length of the run"},
      "tokens": {"type": "integer", "meaning": "tokens", "minimum": 1, "unit": "tokens", "known_as": ["max_tokens", "num_tokens"], "doc": "length of the run"},
      "epochs": {"type": "number", "positive": true, "known_as": ["num_epochs", "num_train_epochs", "max_epochs"], "doc": "length of the run in passes over the data"},
      "device": {"type": "string", "enum": ["auto", "cpu", "cuda"], "default": "auto", "refuse": {"gpu": "is no device here; did you mean cuda?"}, "doc": "what to compute on"},
      "stop_after": {"type": "number", "meaning": "duration", "positive": true, "unit": "s", "doc": "wall clock of one job: save and exit 75"},
      "early_stop": {"type": "object", "doc": "end when a metric stops falling", "properties": {
        "metric": {"type": "string", "required": true, "doc": "name of the metric, eval/NAME/loss"},
        "patience": {"type": "integer", "minimum": 1, "default": 8, "unit": "evaluations", "doc": "evaluations without a better value"},
        "min_delta": {"type": "number", "minimum": 0, "default": 0, "doc": "what counts as better"}}},
      "timeout": {"type": "number", "meaning": "duration", "positive": true, "default": "5m", "unit": "s", "doc": "a stuck collective ends the run after it"},
      "communicator": {"default": "auto", "known_as": ["backend"], "doc": "what carries collectives; auto: shared memory among ranks of one host, gloo else",
        "any_of": [{"type": "string", "enum": ["auto", "gloo"]}, {"component": "mortise/connector/1"}]},
      "check": {"type": "string", "enum": ["none", "collectives"], "default": "none", "doc": "compare the order of collectives over ranks"},
      "peak_flops": {"type": "number", "positive": true, "unit": "operations a second", "doc": "what one rank's device can compute, of which perf/mfu is a share; default measured with matrix products"},
      "folder": {"type": "string", "default": "runs", "known_as": ["output_dir", "out_dir"], "doc": "where run folders are made, from the working folder"}}},
  "batch": {"type": "object", "required": true, "doc": "what one step consumes, over all ranks",
    "rules": [{"rule": "exactly_one", "of": ["tokens", "sequences"]}, {"rule": "multiple_of", "a": "tokens", "b": "sequence_length"}],
    "properties": {
      "tokens": {"type": "integer", "meaning": "tokens", "minimum": 1, "doc": "tokens per step"},
      "sequences": {"type": "integer", "meaning": "tokens", "minimum": 1, "known_as": ["batch_size", "global_batch_size"], "doc": "sequences per step"},
      "sequence_length": {"type": "integer", "meaning": "tokens", "required": true, "minimum": 1, "known_as": ["seq_len", "block_size", "context_length", "seq_length", "max_length"], "doc": "tokens per sequence"},
      "micro_batch": {"type": "integer", "minimum": 1, "known_as": ["micro_batch_size", "device_batch_size"], "unit": "sequences", "doc": "sequences per forward pass; default the largest divisor of at most 8"}}},
  "mesh": {"type": "object", "doc": "how ranks are arranged", "properties": {
    "pp": {"type": "integer", "minimum": 1, "known_as": ["pipeline_parallel"], "doc": "pipeline stages; needs a selector under parallel"},
    "dp_replicate": {"type": "integer", "minimum": 1, "doc": "replicas of what dp shards"},
    "dp": {"any_of": [{"type": "string", "enum": ["auto"]}, {"type": "integer", "minimum": 1}], "default": "auto", "doc": "data-parallel ranks; auto takes those that are left"},
    "ep": {"type": "integer", "minimum": 1, "doc": "expert-parallel ranks; needs a cutter under parallel"},
    "cp": {"type": "integer", "minimum": 1, "doc": "ranks that share a sequence; needs a cutter under parallel"},
    "tp": {"type": "integer", "minimum": 1, "doc": "tensor-parallel ranks; needs a cutter under parallel"}}},
  "parallel": {"type": "array", "single": true, "doc": "strategies: a selector, cutters, one owner",
    "items": {"component": ["mortise/owner/1", "mortise/selector/1", "mortise/cutter/1"]}},
  "precision": {"type": "object", "doc": "types of numbers", "properties": {
    "compute": {"type": "string", "enum": ["float32", "bfloat16"], "refuse": {"float16": "is not supported: gradients would leave its range; write bfloat16 or float32"}, "doc": "type of activations, and of parameters where layers use them; masters, optimizer slots and losses are float32; default float32, with run.device: cuda bfloat16"},
    "reduce": {"type": "string", "enum": ["float32"], "default": "float32", "doc": "type in which gradients are summed"}}},
  "gradients": {"type": "object", "doc": "norm and clipping", "properties": {
    "clip_norm": {"type": "number", "positive": true, "known_as": ["grad_clip", "max_norm", "max_grad_norm"], "doc": "largest norm; without it the norm is only logged"},
    "norm": {"type": "string", "enum": ["1", "2", "inf"], "default": "2", "doc": "which norm"},
    "max_skipped": {"type": "integer", "minimum": 0, "default": 10, "doc": "steps in a row that may be skipped as not finite"}}},
  "recompute": {"default": "none", "known_as": ["activation_checkpointing"], "doc": "units whose activations are computed again in the backward pass", "any_of": [
    {"type": "string", "enum": ["none", "all"]},
    {"type": "object", "properties": {"every": {"type": "integer", "required": true, "minimum": 1, "doc": "every n-th unit"}}},
    {"type": "array", "items": {"type": "string"}}]},
  "tokenizer": {"component": "mortise/tokenizer/1", "doc": "text to tokens"},
  "data": {"type": "object", "required": true, "doc": "what is trained on", "properties": {
    "shuffle": {"default": true, "doc": "true: the order that defaults.yaml names; false: as stored; or an order",
      "any_of": [{"type": "boolean"}, {"component": "mortise/sample_order/1"}]},
    "documents": {"type": "string", "enum": ["joined", "isolated"], "default": "joined", "doc": "whether attention crosses document ends"},
    "seed": {"type": "integer", "minimum": 0, "default_path": "run.seed", "doc": "of the order"},
    "train": {"component": "mortise/dataset/1", "required": true, "doc": "training set"}}},
  "eval": {"type": "object", "doc": "evaluation, always also at the start and at the end", "properties": {
    "every": {"type": "string", "meaning": "amount", "positive": true, "doc": "how often"},
    "tokens": {"type": "integer", "meaning": "tokens", "minimum": 1, "doc": "tokens per set, the same each time; default all"},
    "hold_out": {"type": "string", "meaning": "amount", "positive": true, "doc": "share of the training set that is cut off for evaluation, such as 5%"},
    "sets": {"type": "map", "values": {"component": "mortise/dataset/1"}, "doc": "sets by name"}}},
  "model": {"component": "mortise/model/1", "required": true, "doc": "what is trained"},
  "initializer": {"component": "mortise/initializer/1", "doc": "first weights", "host_keys": {
    "seed": {"type": "integer", "minimum": 0, "default_path": "run.seed", "doc": "of the weights"}}},
  "loss": {"component": "mortise/loss/1", "doc": "what is minimised"},
  "optimizer": {"type": "array", "single": true, "required": true, "doc": "one or a list: the first that matches a parameter takes it",
    "items": {"component": "mortise/optimizer/1", "host_keys": {
      "parameters": {"type": "array", "single": true, "items": {"type": "string"}, "doc": "patterns or roles of parameters; without it the rest"},
      "learning_rate": {"type": "number", "required": true, "minimum": 0, "known_as": ["lr"], "doc": "multiplied by the schedule"}}}},
  "schedule": {"component": "mortise/learning_rate_schedule/1", "known_as": ["scheduler", "lr_scheduler"], "doc": "factors of learning_rate over the run"},
  "layer_ops": {"type": "array", "single": true, "doc": "links in front of layer operations", "items": {"component": "mortise/layer_op/1", "host_keys": {
    "layers": {"type": "array", "single": true, "items": {"type": "string"}, "doc": "patterns of layer names; without it all"}}}},
  "observers": {"type": "array", "single": true, "doc": "components that watch the steps", "items": {"component": "mortise/observer/1"}},
  "checkpoint": {"type": "object", "doc": "what is saved; always also at the end", "properties": {
    "every": {"type": "string", "meaning": "amount", "positive": true, "known_as": ["save_interval", "save_every"], "doc": "how often"},
    "keep": {"type": "integer", "minimum": 1, "default": 2, "doc": "newest ones that stay"},
    "keep_every": {"type": "string", "meaning": "amount", "positive": true, "doc": "ones that stay for good"},
    "best": {"type": "object", "doc": "ones that stay because they are best", "properties": {
      "metric": {"type": "string", "required": true, "doc": "by which metric, eval/NAME/loss"},
      "keep": {"type": "integer", "minimum": 1, "default": 1, "doc": "how many"}}},
    "allow_partial": {"type": "boolean", "default": false, "doc": "load what fits, list what does not"}}},
  "log": {"type": "object", "doc": "metrics", "properties": {
    "every": {"type": "string", "meaning": "amount", "positive": true, "default": 10, "known_as": ["log_interval"], "doc": "how often"},
    "sinks": {"type": "array", "single": true, "doc": "where metrics go besides", "items": {"component": "mortise/metric_sink/1", "host_keys": {
      "required": {"type": "boolean", "default": false, "doc": "end the run when it fails"}}}},
    "always": {"type": "array", "single": true, "doc": "sinks of every run, named by defaults.yaml", "items": {"component": "mortise/metric_sink/1", "host_keys": {
      "required": {"type": "boolean", "default": false, "doc": "end the run when it fails"}}}}}}
}})json";

constexpr const char* kSiteSections = R"json({
"type": "object", "sections": true, "reserved": ["keys", "network"], "properties": {
  "folders": {"type": "object", "reserved": ["configs", "cache"], "doc": "folders of this installation", "properties": {
    "plugins": {"type": "array", "single": true, "items": {"type": "string", "meaning": "path"}, "doc": "searched for plugins"}}},
  "policy": {"type": "string", "enum": ["off", "warn", "require"], "doc": "whether plugin files that others may write are refused"}
}})json";

}  // namespace

const nlohmann::json& run_schema() {
  static const nlohmann::json schema = nlohmann::json::parse(kRunSections);
  return schema;
}

const nlohmann::json& site_schema() {
  static const nlohmann::json schema = nlohmann::json::parse(kSiteSections);
  return schema;
}

const char* run_schema_text() { return kRunSections; }
const char* site_schema_text() { return kSiteSections; }

const std::vector<std::string>& section_order() {
  static const std::vector<std::string> order = {
      "mortise",   "plugins",   "run",       "batch",     "mesh",      "parallel",   "precision",
      "gradients", "recompute", "tokenizer", "data",      "eval",      "model",      "initializer",
      "loss",      "optimizer", "schedule",  "layer_ops", "observers", "checkpoint", "log"};
  return order;
}

}  // namespace mortise::host
