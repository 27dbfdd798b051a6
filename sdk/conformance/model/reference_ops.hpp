#pragma once

// The SDK's own operations, written the obvious way, in any floating-point type.

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <mortise/model/parameter.hpp>

namespace mortise::conformance {

// [B, 1, T, T]: whether two positions lie in different runs of equal numbers of ids [B, T].
inline at::Tensor other_document(const at::Tensor& ids) {
  const at::Tensor begins = ids.narrow(1, 1, ids.size(1) - 1).ne(ids.narrow(1, 0, ids.size(1) - 1));
  const at::Tensor run = at::constant_pad_nd(begins.to(at::kLong).cumsum(1), {1, 0});
  return run.unsqueeze(2).ne(run.unsqueeze(1)).unsqueeze(1);
}

// `document_ids` undefined: all positions are of one document.
inline at::Tensor reference_attention(at::Tensor query, at::Tensor key, at::Tensor value,
                                      const at::Tensor& document_ids = {}) {
  const std::int64_t group = query.size(1) / key.size(1), length = query.size(2),
                     past = key.size(2) - length;
  key = key.repeat_interleave(group, 1);
  value = value.repeat_interleave(group, 1);
  at::Tensor later = at::ones({length, key.size(2)}, at::kBool).triu(1 + past);
  if (document_ids.defined()) later = later.logical_or(other_document(document_ids));
  const at::Tensor scores =
      query.matmul(key.transpose(-2, -1)).div(std::sqrt(double(query.size(3))));
  return scores.masked_fill(later, -std::numeric_limits<double>::infinity())
      .softmax(-1)
      .matmul(value);
}

inline at::Tensor reference_activation(const std::string& kind, Tensors x) {
  if (kind == "swiglu") return at::silu(x[0]).mul(x[1]);
  if (kind == "silu") return at::silu(x[0]);
  if (kind == "relu") return at::relu(x[0]);
  return at::gelu(x[0], kind == "gelu_tanh" ? "tanh" : "none");
}

inline at::Tensor reference_norm(const Layer& layer, const at::Tensor& x, Tensors weights) {
  const double epsilon = layer.attributes.get<double>("epsilon");
  const bool layer_norm = layer.attributes.get<std::string>("kind") == "layer";
  const at::Tensor centred = layer_norm ? x.sub(x.mean(-1, true)) : x;
  const at::Tensor y =
      centred.mul(centred.square().mean(-1, true).add(epsilon).rsqrt()).mul(weights[0]);
  return weights.size() > 1 ? y.add(weights[1]) : y;
}

// Errors: Error(not_supported) naming an operation that is not the SDK's.
inline at::Tensor reference_op(const Layer& layer, Tensors x, Tensors weights, bool training) {
  const auto is = [&](const char* op) {
    return layer.op == std::string("mortise.op/") + op + "/1";
  };
  if (is("linear"))
    return at::linear(x[0], weights[0], weights.size() > 1 ? weights[1] : at::Tensor());
  if (is("embedding")) return at::embedding(weights[0], x[0]);
  if (is("norm")) return reference_norm(layer, x[0], weights);
  if (is("attention")) {
    if (x.size() > 3 && !layer.attributes.has("documents"))
      throw Error(ErrorCode::not_supported, "layer " + layer.name + " takes no document_ids");
    return reference_attention(x[0], x[1], x[2], x.size() > 3 ? x[3] : at::Tensor());
  }
  if (is("activation")) return reference_activation(layer.attributes.get<std::string>("kind"), x);
  if (is("dropout"))
    return at::dropout(x[0], layer.attributes.get<double>("probability"), training);
  if (is("identity") || is("layout")) return x[0];
  throw Error(ErrorCode::not_supported, "layer " + layer.name + ": no reference for " + layer.op);
}

}  // namespace mortise::conformance
