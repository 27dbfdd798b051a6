#!/usr/bin/env python3
"""Writes the golden numbers of the models and of AdamW into tests/golden/model/.

Needs PyTorch 2.11 (CPU) and NumPy. Everything is PyTorch's own, in float32: modules of torch.nn,
scaled_dot_product_attention, cross_entropy, torch.optim.AdamW. Rotary positions, which PyTorch does
not have, are Hugging Face's formula. With --witness the same weights also go through the models of
Hugging Face's `transformers`, and what that gave stands in the files; transformers 5 is what the
committed ones were checked with.

File: records until the end, each `u32 length, name, u8 kind, u32 count, data`, little-endian; kind
is one of f (float32), d (float64), q (int64), t (text).
"""

import math
import struct
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

FOLDER = Path(__file__).parent / "model"
BATCH, LENGTH, VOCABULARY, WIDTH, LAYERS, HEADS, HIDDEN = 2, 9, 23, 16, 2, 4, 20
HEAD = WIDTH // HEADS


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


def rotate(x, positions, theta):
    """x [B, H, T, D]: pairs (i, i + D/2) turn by position * theta^(-2i/D)."""
    frequency = theta ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float32) / x.shape[-1])
    angle = positions[:, None, :, None].float() * frequency
    cosine, sine = angle.cos().repeat(1, 1, 1, 2), angle.sin().repeat(1, 1, 1, 2)
    a, b = x.chunk(2, -1)
    return x * cosine + torch.cat([-b, a], -1) * sine


def heads(x):
    return x.unflatten(-1, (-1, HEAD)).transpose(1, 2)


def attend(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).transpose(1, 2).flatten(2)


class LlamaAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.theta, self.qk_norm = c["theta"], c["qk_norm"]
        self.q_proj = nn.Linear(WIDTH, WIDTH, bias=c["bias"])
        self.k_proj = nn.Linear(WIDTH, c["kv_heads"] * HEAD, bias=c["bias"])
        self.v_proj = nn.Linear(WIDTH, c["kv_heads"] * HEAD, bias=c["bias"])
        self.o_proj = nn.Linear(WIDTH, WIDTH, bias=c["bias"])
        if self.qk_norm:
            self.q_norm, self.k_norm = nn.RMSNorm(HEAD, eps=1e-5), nn.RMSNorm(HEAD, eps=1e-5)

    def forward(self, x, positions):
        q, k, v = heads(self.q_proj(x)), heads(self.k_proj(x)), heads(self.v_proj(x))
        if self.qk_norm:
            q, k = self.q_norm(q), self.k_norm(k)
        return self.o_proj(attend(rotate(q, positions, self.theta), rotate(k, positions, self.theta), v))


class LlamaMlp(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj = nn.Linear(WIDTH, HIDDEN, bias=c["bias"])
        self.up_proj = nn.Linear(WIDTH, HIDDEN, bias=c["bias"])
        self.down_proj = nn.Linear(HIDDEN, WIDTH, bias=c["bias"])

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn, self.mlp = LlamaAttention(c), LlamaMlp(c)
        self.input_layernorm = nn.RMSNorm(WIDTH, eps=1e-5)
        self.post_attention_layernorm = nn.RMSNorm(WIDTH, eps=1e-5)

    def forward(self, x, positions):
        x = x + self.self_attn(self.input_layernorm(x), positions)
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.model = nn.ModuleDict({
            "embed_tokens": nn.Embedding(VOCABULARY, WIDTH),
            "layers": nn.ModuleList(LlamaBlock(c) for _ in range(LAYERS)),
            "norm": nn.RMSNorm(WIDTH, eps=1e-5)})
        self.lm_head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        if c["tied"]:
            self.lm_head.weight = self.model["embed_tokens"].weight

    def forward(self, tokens, positions):
        x = self.model["embed_tokens"](tokens)
        for block in self.model["layers"]:
            x = block(x, positions)
        return self.lm_head(self.model["norm"](x))


class Gpt2Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.rotary = c["positions"] == "rotary"
        for name in ("q_proj", "k_proj", "v_proj", "c_proj"):
            self.add_module(name, nn.Linear(WIDTH, WIDTH, bias=c["bias"]))

    def forward(self, x, positions):
        q, k, v = heads(self.q_proj(x)), heads(self.k_proj(x)), heads(self.v_proj(x))
        if self.rotary:
            q, k = rotate(q, positions, 10000.0), rotate(k, positions, 10000.0)
        return self.c_proj(attend(q, k, v))


class Gpt2Mlp(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.activation = c["activation"]
        self.c_fc = nn.Linear(WIDTH, HIDDEN, bias=c["bias"])
        self.c_proj = nn.Linear(HIDDEN, WIDTH, bias=c["bias"])
        if self.activation == "swiglu":
            self.c_gate = nn.Linear(WIDTH, HIDDEN, bias=c["bias"])

    def forward(self, x):
        if self.activation == "swiglu":
            return self.c_proj(F.silu(self.c_gate(x)) * self.c_fc(x))
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh" if self.activation == "gelu_tanh" else "none"))


class Gpt2Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.attn, self.mlp = Gpt2Attention(c), Gpt2Mlp(c)
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH, bias=c["bias"]), nn.LayerNorm(WIDTH, bias=c["bias"])

    def forward(self, x, positions):
        x = x + self.attn(self.ln_1(x), positions)
        return x + self.mlp(self.ln_2(x))


class Gpt2(nn.Module):
    def __init__(self, c):
        super().__init__()
        parts = {"wte": nn.Embedding(VOCABULARY, WIDTH),
                 "h": nn.ModuleList(Gpt2Block(c) for _ in range(LAYERS)),
                 "ln_f": nn.LayerNorm(WIDTH, bias=c["bias"])}
        if c["positions"] == "learned":
            parts["wpe"] = nn.Embedding(LENGTH, WIDTH)
        self.transformer = nn.ModuleDict(parts)
        self.lm_head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        if c["tied"]:
            self.lm_head.weight = self.transformer["wte"].weight

    def forward(self, tokens, positions):
        x = self.transformer["wte"](tokens)
        if "wpe" in self.transformer:
            x = x + self.transformer["wpe"](positions)
        for block in self.transformer["h"]:
            x = block(x, positions)
        return self.lm_head(self.transformer["ln_f"](x))


def give_weights(model):
    """The same values as the C++ side makes from the same names."""
    with torch.no_grad():
        for name, value in model.named_parameters():
            stream = sum((i + 1) * c for i, c in enumerate(name.encode()))
            is_norm = "norm" in name or ".ln_" in name
            shift = 1.0 if is_norm and name.endswith("weight") else 0.0
            values = noise(stream, value.numel()) * 0.5 + shift
            value.copy_(torch.from_numpy(values.astype(np.float32)).view(value.shape))


def batch():
    ids = ((noise(1, BATCH * (LENGTH + 1)) + 0.5) * VOCABULARY).astype(np.int64).reshape(BATCH, -1)
    tokens, targets = ids[:, :-1].copy(), ids[:, 1:].copy()
    targets[0, 3] = targets[1, 0] = targets[1, 8] = -100
    positions = np.stack([np.arange(LENGTH), np.concatenate([np.arange(5), np.arange(LENGTH - 5)])])
    return tokens, targets, positions


def decay_groups(model, weight_decay):
    """No decay for norms, biases and embeddings, as the plugin adamw has it; a tied head is one."""
    kept = [p for n, p in model.named_parameters()
            if n.endswith(".bias") or "norm" in n or ".ln_" in n or "embed" in n or ".wte." in n or ".wpe." in n]
    rest = [p for p in model.parameters() if all(p is not k for k in kept)]
    return [{"params": rest, "weight_decay": weight_decay}, {"params": kept, "weight_decay": 0.0}]


def write_model(name, make, **config):
    """Logits, and ten steps of AdamW on one batch: their losses, gradients of the first, slots after the last."""
    tokens, targets, positions = batch()
    ids, wanted, places = (torch.from_numpy(a) for a in (tokens, targets, positions))
    model = make(config)
    give_weights(model)
    records = {"tokens": tokens, "targets": targets, "positions": positions}
    if WITNESS:
        records["witness"] = witness(model, config, ids)
    records["logits"] = model(ids, places).detach().numpy()
    optimizer = torch.optim.AdamW(decay_groups(model, 0.1), lr=1e-3, betas=(0.9, 0.95), eps=1e-8)
    losses = []
    for step in range(10):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(ids, places).flatten(0, 1), wanted.flatten(), ignore_index=-100)
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            gradients = {"gradient:" + n: p.grad.numpy().copy() for n, p in model.named_parameters()}
        optimizer.step()
    records |= {"losses": np.array(losses)} | gradients
    if name == "llama_tied_grouped_norm_bias":
        for slot in ("exp_avg", "exp_avg_sq"):
            records |= {f"{slot}:{n}": optimizer.state[p][slot].numpy() for n, p in model.named_parameters()}
    write(name, records)


def witness(model, c, ids):
    """What transformers says to the same weights, over plain positions; "none" where it has no such model."""
    import transformers

    sizes = dict(vocab_size=VOCABULARY, max_position_embeddings=64)
    own = {k: v.detach().clone() for k, v in model.state_dict().items()}
    if isinstance(model, Llama):
        sizes |= dict(hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS, head_dim=HEAD,
                      num_key_value_heads=c["kv_heads"], intermediate_size=HIDDEN, rms_norm_eps=1e-5,
                      rope_parameters={"rope_type": "default", "rope_theta": c["theta"]},
                      tie_word_embeddings=c["tied"], attention_bias=c["bias"])
        if c["qk_norm"] and c["bias"]:
            return "none"
        if c["qk_norm"]:
            theirs = transformers.Qwen3ForCausalLM(transformers.Qwen3Config(**sizes))
        else:
            theirs = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, mlp_bias=c["bias"]))
    else:
        if c["positions"] == "rotary" or c["activation"] == "swiglu" or not c["bias"]:
            return "none"
        config = transformers.GPT2Config(
            vocab_size=VOCABULARY, n_positions=LENGTH, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS, n_inner=HIDDEN,
            activation_function={"gelu_tanh": "gelu_new", "gelu": "gelu"}[c["activation"]],
            tie_word_embeddings=c["tied"])
        theirs = transformers.GPT2LMHeadModel(config)
        own = hugging_face_gpt2(own)
    missing, unexpected = theirs.load_state_dict(own, strict=False)
    assert not unexpected and all("attn.bias" in m or "inv_freq" in m for m in missing), (missing, unexpected)
    with torch.no_grad():
        plain = torch.arange(LENGTH).expand(BATCH, -1)
        ours, other = model(ids, plain), theirs.eval()(ids).logits
    apart = ((ours - other).norm() / other.norm()).item()
    assert apart < 1e-5, apart
    return f"{type(theirs).__name__} of transformers {transformers.__version__}: logits {apart:.1e} apart"


def hugging_face_gpt2(own):
    """q, k, v joined into c_attn; weights [in, out]."""
    theirs = {k: v for k, v in own.items() if not any(f".{n}_proj." in k for n in "qkv")}
    for i in range(LAYERS):
        at = f"transformer.h.{i}.attn."
        for kind in ("weight", "bias"):
            theirs[f"{at}c_attn.{kind}"] = torch.cat([own[f"{at}{n}_proj.{kind}"] for n in "qkv"])
    turned = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
    return {k: v.T.contiguous() if k.endswith(turned) else v for k, v in theirs.items()}


def write_adamw(name, decays, weight_decay, betas, eps, fused):
    """Ten steps of torch.optim.AdamW, two groups, a rate for each step."""
    shapes = {"matrix": (5, 7), "norm": (16,), "embedding": (3, 11), "other": (1,)}
    values = {k: torch.nn.Parameter(torch.tensor(noise(i, math.prod(s)).astype(np.float32)).reshape(s))
              for i, (k, s) in enumerate(shapes.items())}
    groups = [{"params": [values[k]], "weight_decay": weight_decay if k in decays else 0.0} for k in values]
    optimizer = torch.optim.AdamW(groups, lr=1.0, betas=betas, eps=eps, fused=fused)
    for step in range(10):
        for i, value in enumerate(values.values()):
            value.grad = torch.tensor(noise(100 + 10 * step + i, value.numel()).astype(np.float32)).reshape(value.shape)
        for group in optimizer.param_groups:
            group["lr"] = 1e-2 * (step + 1) / 10
        optimizer.step()
    write(name, {k: v.detach().numpy() for k, v in values.items()} |
          {"exp_avg:" + k: optimizer.state[v]["exp_avg"].numpy() for k, v in values.items()} |
          {"exp_avg_sq:" + k: optimizer.state[v]["exp_avg_sq"].numpy() for k, v in values.items()})


def main():
    """Every pair of values of any two switches occurs in one of the files."""
    FOLDER.mkdir(exist_ok=True)

    def llama(name, tied, grouped, qk_norm, bias):
        write_model("llama_" + name, Llama, tied=tied, kv_heads=2 if grouped else HEADS, qk_norm=qk_norm, bias=bias,
                    theta=500.0 if qk_norm else 10000.0)

    llama("tied", True, False, False, False)
    llama("tied_grouped_norm_bias", True, True, True, True)
    llama("grouped", False, True, False, False)
    llama("norm", False, False, True, False)
    llama("bias", False, False, False, True)

    def gpt2(activation, positions, bias, tied):
        name = "_".join([activation, positions] + ["bias"] * bias + ["tied"] * tied)
        write_model("gpt2_" + name, Gpt2, activation=activation, positions=positions, bias=bias, tied=tied)

    gpt2("gelu_tanh", "learned", True, True)
    gpt2("gelu_tanh", "rotary", False, False)
    gpt2("gelu", "learned", False, True)
    gpt2("gelu", "rotary", True, False)
    gpt2("swiglu", "learned", True, False)
    gpt2("swiglu", "rotary", False, True)

    write_adamw("adamw", ("matrix", "other"), 0.1, (0.9, 0.95), 1e-8, fused=True)
    write_adamw("adamw_other", ("norm", "embedding", "other"), 0.3, (0.8, 0.999), 1e-3, fused=False)


if __name__ == "__main__":
    WITNESS = sys.argv[1:] == ["--witness"]
    main()
