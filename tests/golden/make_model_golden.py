#!/usr/bin/env python3
"""Writes the golden numbers of the models and of AdamW into tests/golden/model/.

Needs PyTorch (CPU) and NumPy. The models here are written independently of the plugins: float64,
one function for each formula, attention with an explicit mask, rotation by complex numbers.

File: records until the end, each `u32 length, name, u8 kind, u32 count, data`, little-endian; kind
is one of f (float32), d (float64), q (int64), t (text).
"""

import math
import struct
import sys
from pathlib import Path

import numpy as np
import torch

FOLDER = Path(__file__).parent / "model"
BATCH, LENGTH, VOCABULARY = 2, 9, 37


def write(name, records):
    kinds = {np.dtype("float32"): b"f", np.dtype("float64"): b"d", np.dtype("int64"): b"q"}
    records = {"versions": f"torch {torch.__version__}, numpy {np.__version__}, python {sys.version.split()[0]}"} | records
    with open(FOLDER / f"{name}.bin", "wb") as file:
        for key, value in records.items():
            if isinstance(value, str):
                kind, data, count = b"t", value.encode(), len(value.encode())
            else:
                value = np.ascontiguousarray(value)
                kind, data, count = kinds[value.dtype], value.tobytes(), value.size
            file.write(struct.pack("<I", len(key)) + key.encode() + kind + struct.pack("<I", count) + data)


def noise(stream, count):
    """Numbers in [-0.5, 0.5), the same in the C++ tests; float64, exact in float32 after rounding."""
    x = np.arange(count, dtype=np.uint64) * 2654435761 + stream * 40503 + 12345
    x &= 0xFFFFFFFF
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        x ^= x >> np.uint64(shift)
        x = (x * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    return x.astype(np.float64) / 2.0**32 - 0.5


def rms_norm(x, weight, epsilon):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) * weight


def layer_norm(x, weight, bias, epsilon):
    centred = x - x.mean(-1, keepdim=True)
    y = centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + epsilon) * weight
    return y if bias is None else y + bias


def rotate(x, positions, theta):
    """x [B, T, H, D]: the pair (i, i + D/2) is one complex number."""
    half = x.shape[-1] // 2
    frequency = theta ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = positions[:, :, None, None].double() * frequency
    turned = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([turned.real, turned.imag], -1)


def attention(q, k, v):
    """q [B, T, H, D], k and v [B, T, K, D] -> [B, T, H * D]; query head h reads key head h // (H / K)."""
    b, t, h, d = q.shape
    group = h // k.shape[2]
    q = q.reshape(b, t, k.shape[2], group, d)
    scores = torch.einsum("btkgd,bskd->bkgts", q, k) / math.sqrt(d)
    mask = torch.ones(t, t, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
    return torch.einsum("bkgts,bskd->btkgd", weights, v).reshape(b, t, h * d)


class Weights:
    """Parameters by name, made on first use; the C++ side makes the same from the same names."""

    def __init__(self):
        self.all = {}

    def __call__(self, name, *shape):
        if name not in self.all:
            stream = sum((i + 1) * c for i, c in enumerate(name.encode()))
            count = int(np.prod(shape))
            is_norm = "norm" in name or ".ln_" in name
            values = noise(stream, count) * 0.5 + (1.0 if is_norm and name.endswith("weight") else 0.0)
            values = values.astype(np.float32).astype(np.float64).reshape(shape)
            self.all[name] = torch.tensor(values, requires_grad=True)
        return self.all[name]

    def linear(self, x, name, out, bias):
        y = x @ self(name + ".weight", out, x.shape[-1]).T
        return y + self(name + ".bias", out) if bias else y


def silu(x):
    return x / (1 + torch.exp(-x))


def llama(w, tokens, positions, c):
    d = c["width"] // c["heads"]
    x = w("model.embed_tokens.weight", VOCABULARY, c["width"])[tokens]
    for i in range(c["layers"]):
        p = f"model.layers.{i}."
        a = rms_norm(x, w(p + "input_layernorm.weight", c["width"]), c["epsilon"])
        q = w.linear(a, p + "self_attn.q_proj", c["heads"] * d, c["bias"]).unflatten(-1, (-1, d))
        k = w.linear(a, p + "self_attn.k_proj", c["kv_heads"] * d, c["bias"]).unflatten(-1, (-1, d))
        v = w.linear(a, p + "self_attn.v_proj", c["kv_heads"] * d, c["bias"]).unflatten(-1, (-1, d))
        if c["qk_norm"]:
            q = rms_norm(q, w(p + "self_attn.q_norm.weight", d), c["epsilon"])
            k = rms_norm(k, w(p + "self_attn.k_norm.weight", d), c["epsilon"])
        mixed = attention(rotate(q, positions, c["theta"]), rotate(k, positions, c["theta"]), v)
        x = x + w.linear(mixed, p + "self_attn.o_proj", c["width"], c["bias"])
        m = rms_norm(x, w(p + "post_attention_layernorm.weight", c["width"]), c["epsilon"])
        inner = silu(w.linear(m, p + "mlp.gate_proj", c["hidden"], c["bias"])) * w.linear(
            m, p + "mlp.up_proj", c["hidden"], c["bias"])
        x = x + w.linear(inner, p + "mlp.down_proj", c["width"], c["bias"])
    x = rms_norm(x, w("model.norm.weight", c["width"]), c["epsilon"])
    head = "model.embed_tokens.weight" if c["tied"] else "lm_head.weight"
    return x @ w(head, VOCABULARY, c["width"]).T


def gelu(x):
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gpt2(w, tokens, positions, c):
    d = c["width"] // c["heads"]

    def norm(x, name):
        bias = w(name + ".bias", c["width"]) if c["bias"] else None
        return layer_norm(x, w(name + ".weight", c["width"]), bias, c["epsilon"])

    x = w("transformer.wte.weight", VOCABULARY, c["width"])[tokens]
    if c["positions"] == "learned":
        x = x + w("transformer.wpe.weight", LENGTH, c["width"])[positions]
    for i in range(c["layers"]):
        p = f"transformer.h.{i}."
        a = norm(x, p + "ln_1")
        q, k, v = (w.linear(a, f"{p}attn.{n}_proj", c["width"], c["bias"]).unflatten(-1, (-1, d)) for n in "qkv")
        if c["positions"] == "rotary":
            q, k = rotate(q, positions, c["theta"]), rotate(k, positions, c["theta"])
        x = x + w.linear(attention(q, k, v), p + "attn.c_proj", c["width"], c["bias"])
        m = norm(x, p + "ln_2")
        up = w.linear(m, p + "mlp.c_fc", c["hidden"], c["bias"])
        if c["activation"] == "swiglu":
            inner = silu(w.linear(m, p + "mlp.c_gate", c["hidden"], c["bias"])) * up
        else:
            inner = {"gelu": gelu, "gelu_tanh": gelu_tanh}[c["activation"]](up)
        x = x + w.linear(inner, p + "mlp.c_proj", c["width"], c["bias"])
    x = norm(x, "transformer.ln_f")
    head = "transformer.wte.weight" if c["tied"] else "lm_head.weight"
    return x @ w(head, VOCABULARY, c["width"]).T


def token_loss(logits, targets):
    counted = targets != -100
    log_probabilities = logits - torch.logsumexp(logits, -1, keepdim=True)
    picked = log_probabilities.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(picked * counted).sum() / counted.sum()


def write_model(name, model, **config):
    ids = ((noise(1, BATCH * (LENGTH + 1)) + 0.5) * VOCABULARY).astype(np.int64).reshape(BATCH, -1)
    tokens, targets = ids[:, :-1].copy(), ids[:, 1:].copy()
    targets[0, 3] = targets[1, 0] = targets[1, 8] = -100
    positions = np.stack([np.arange(LENGTH), np.concatenate([np.arange(5), np.arange(LENGTH - 5)])])
    weights = Weights()
    batch = [torch.from_numpy(a) for a in (tokens, positions, targets)]
    loss = token_loss(model(weights, batch[0], batch[1], config), batch[2])
    loss.backward()
    records = {"tokens": tokens, "targets": targets, "positions": positions, "loss": np.array([loss.item()])}
    for key, value in weights.all.items():
        records["gradient:" + key] = value.grad.numpy().astype(np.float32)
    write(name, records)


def write_adamw():
    """Ten steps of torch.optim.AdamW(fused=True), float32, two groups, a rate for each step."""
    shapes = {"matrix": (5, 7), "norm": (16,), "embedding": (3, 11), "other": (1,)}
    values = {k: torch.nn.Parameter(torch.tensor(noise(i, math.prod(s)).astype(np.float32)).reshape(s))
              for i, (k, s) in enumerate(shapes.items())}
    decayed = [values["matrix"], values["other"]]
    others = [values["norm"], values["embedding"]]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
                                  lr=1.0, betas=(0.9, 0.95), eps=1e-8, fused=True)
    for step in range(10):
        for i, value in enumerate(values.values()):
            value.grad = torch.tensor(noise(100 + 10 * step + i, value.numel()).astype(np.float32)).reshape(value.shape)
        for group in optimizer.param_groups:
            group["lr"] = 1e-2 * (step + 1) / 10
        optimizer.step()
    write("adamw", {k: v.detach().numpy() for k, v in values.items()} |
          {"exp_avg:" + k: optimizer.state[v]["exp_avg"].numpy() for k, v in values.items()} |
          {"exp_avg_sq:" + k: optimizer.state[v]["exp_avg_sq"].numpy() for k, v in values.items()})


def main():
    FOLDER.mkdir(exist_ok=True)
    sizes = dict(width=16, layers=2, heads=4, hidden=24, epsilon=1e-5)
    write_model("llama_tied", llama, **sizes, kv_heads=4, qk_norm=False, bias=False, tied=True, theta=10000.0)
    write_model("llama_grouped", llama, **sizes, kv_heads=2, qk_norm=True, bias=True, tied=False, theta=500.0)
    write_model("gpt2_learned", gpt2, **sizes, positions="learned", activation="gelu_tanh", bias=True, tied=True)
    write_model("gpt2_exact_gelu", gpt2, **sizes, positions="learned", activation="gelu", bias=False, tied=False)
    write_model("gpt2_rotary", gpt2, **sizes, positions="rotary", activation="swiglu", bias=True, tied=False, theta=10000.0)
    write_adamw()


if __name__ == "__main__":
    main()
