#include "host/engine/eager_ops.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tril.h>

#include <algorithm>
#include <map>

namespace mortise::host {
namespace {

// The attributes that each operation knows; another one changes what the operation means, so it is
// refused.
const std::map<std::string, std::vector<std::string>>& known_attributes() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"mortise.op/linear/1", {}},
      {"mortise.op/embedding/1", {}},
      {"mortise.op/norm/1", {"kind", "epsilon"}},
      {"mortise.op/attention/1", {"causal", "width", "documents"}},
      {"mortise.op/activation/1", {"kind"}},
      {"mortise.op/dropout/1", {"probability"}},
      {"mortise.op/identity/1", {}},
      {"mortise.op/layout/1", {"point"}},
  };
  return all;
}

bool isolates_documents(const Layer& layer) {
  const auto documents = layer.attributes.get<std::string>("documents", "joined");
  if (documents != "joined" && documents != "isolated")
    throw Error(ErrorCode::not_supported, "layer " + layer.name + ": documents: " + documents +
                                              " is neither joined nor isolated");
  return documents == "isolated";
}

void refuse_unknown_attributes(const Layer& layer) {
  const auto found = known_attributes().find(layer.op);
  if (found == known_attributes().end()) return;
  for (const Values::Entry& e : layer.attributes.entries())
    if (std::find(found->second.begin(), found->second.end(), e.key) == found->second.end())
      throw Error(ErrorCode::not_supported, "layer " + layer.name + ": " + layer.op +
                                                " of this host knows no attribute " + e.key);
}

at::Tensor shared_heads(const at::Tensor& t, std::int64_t heads) {
  const std::int64_t repeats = heads / t.size(1);
  if (repeats == 1) return t;
  return t.unsqueeze(2)
      .expand({t.size(0), t.size(1), repeats, t.size(2), t.size(3)})
      .reshape({t.size(0), heads, t.size(2), t.size(3)});
}

at::Tensor attend(Tensors in, bool causal) {
  const at::Tensor &query = in[0], &key = in[1], &value = in[2];
  if (query.size(1) % key.size(1) != 0)
    throw ShapeError("attention: " + std::to_string(query.size(1)) +
                     " query heads are no multiple of " + std::to_string(key.size(1)) +
                     " key heads");
  const std::int64_t length = query.size(2), past = key.size(2) - length;
  std::optional<at::Tensor> seen;  // queries are the last positions
  if (causal && past > 0 && length > 1)
    seen = at::ones({length, past + length}, query.options().dtype(at::kBool)).tril(past);
  return at::scaled_dot_product_attention(query, shared_heads(key, query.size(1)),
                                          shared_heads(value, query.size(1)), seen, 0.0,
                                          causal && past == 0);
}

// Lengths of the runs of equal numbers in ids [B, T], row by row. No run crosses a row.
std::vector<std::int64_t> run_lengths(const at::Tensor& ids) {
  const at::Tensor all = ids.cpu().contiguous();
  const auto* id = all.const_data_ptr<std::int64_t>();
  const std::int64_t length = all.size(1);
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i != all.numel(); ++i) {
    if (i % length == 0 || id[i] != id[i - 1]) lengths.push_back(0);
    ++lengths.back();
  }
  return lengths;
}

// x [B, H, T, D] -> each document's [1, H, its length, D].
std::vector<at::Tensor> by_document(const at::Tensor& x, const std::vector<std::int64_t>& lengths) {
  std::vector<at::Tensor> parts =
      x.transpose(1, 2).flatten(0, 1).split_with_sizes(lengths);  // [B T, H, D]
  for (at::Tensor& part : parts) part = part.transpose(0, 1).unsqueeze(0);
  return parts;
}

// Each document attends to itself alone, as it would as a sequence of its own, and costs no more.
at::Tensor attend_by_document(Tensors in, bool causal) {
  if (in[3].dim() != 2 || in[3].size(0) != in[0].size(0) || in[3].size(1) != in[0].size(2) ||
      in[1].size(2) != in[0].size(2))
    throw ShapeError("attention: document_ids are for each of as many queries as keys");
  const std::vector<std::int64_t> lengths = run_lengths(in[3]);
  const std::vector<at::Tensor> query = by_document(in[0], lengths),
                                key = by_document(in[1], lengths),
                                value = by_document(in[2], lengths);
  std::vector<at::Tensor> mixed;
  for (std::size_t i = 0; i != lengths.size(); ++i)
    mixed.push_back(attend({query[i], key[i], value[i]}, causal).squeeze(0).transpose(0, 1));
  return at::cat(mixed).unflatten(0, {in[3].size(0), in[3].size(1)}).transpose(1, 2);
}

at::Tensor attention(Tensors in, bool causal, bool isolates) {
  if (in.size() == 3) return attend(in, causal);
  if (in.size() != 4 || !isolates)
    throw Error(ErrorCode::not_supported,
                "attention with " + std::to_string(in.size()) +
                    " inputs: document_ids need the attribute documents: isolated");
  return attend_by_document(in, causal);
}

std::optional<at::Tensor> second(Tensors weights) {
  return weights.size() > 1 ? std::optional(weights[1]) : std::nullopt;
}

}  // namespace

EagerOp::EagerOp(const Layer& layer) : layer_(layer.name), op_(layer.op) {
  refuse_unknown_attributes(layer);
  static const std::map<std::string, Kind> plain = {
      {"mortise.op/linear/1", Kind::linear},       {"mortise.op/embedding/1", Kind::embedding},
      {"mortise.op/attention/1", Kind::attention}, {"mortise.op/dropout/1", Kind::dropout},
      {"mortise.op/identity/1", Kind::identity},   {"mortise.op/layout/1", Kind::layout}};
  static const std::map<std::string, Kind> by_kind = {
      {"norm rms", Kind::rms_norm},       {"norm layer", Kind::layer_norm},
      {"activation gelu", Kind::gelu},    {"activation gelu_tanh", Kind::gelu_tanh},
      {"activation silu", Kind::silu},    {"activation relu", Kind::relu},
      {"activation swiglu", Kind::swiglu}};
  const auto look_up = [&](const auto& table, const std::string& key) {
    if (const auto found = table.find(key); found != table.end()) kind_ = found->second;
  };
  look_up(plain, layer.op);
  if (op_ == "mortise.op/norm/1")
    look_up(by_kind, "norm " + layer.attributes.get<std::string>("kind", "rms"));
  if (op_ == "mortise.op/activation/1")
    look_up(by_kind, "activation " + layer.attributes.get<std::string>("kind"));
  number_ =
      layer.attributes.get<double>("epsilon", layer.attributes.get<double>("probability", 0.0));
  causal_ = layer.attributes.get<bool>("causal", false);
  isolates_ = isolates_documents(layer);
}

TensorList EagerOp::operator()(Tensors in, Tensors weights, bool training) const {
  switch (kind_) {
    case Kind::linear:
      return {at::linear(in[0], weights[0], second(weights))};
    case Kind::embedding:
      return {at::embedding(weights[0], in[0])};
    case Kind::rms_norm:
      return {at::rms_norm(in[0], weights[0].sizes(), weights[0], number_)};
    case Kind::layer_norm:
      return {at::layer_norm(in[0], weights[0].sizes(), weights[0], second(weights), number_)};
    case Kind::attention:
      return {attention(in, causal_, isolates_)};
    case Kind::gelu:
      return {at::gelu(in[0])};
    case Kind::gelu_tanh:
      return {at::gelu(in[0], "tanh")};
    case Kind::silu:
      return {at::silu(in[0])};
    case Kind::relu:
      return {at::relu(in[0])};
    case Kind::swiglu:
      return {at::silu(in[0]) * in[1]};
    case Kind::dropout:
      return {training ? at::dropout(in[0], number_, true) : in[0]};
    case Kind::identity:
    case Kind::layout:
      return {in[0]};
    case Kind::unknown:
      break;
  }
  throw Error(ErrorCode::not_supported, "layer " + layer_ + ": this host has no operation " + op_ +
                                            ": add a layer operation that does under layer_ops");
}

}  // namespace mortise::host
