"""The models of a.yaml and c.yaml in plain PyTorch, eager, as their users write them.

a: learned positions, LayerNorm, GELU, tied head, one product for query, key and value
c: RMSNorm, rotary positions, SwiGLU, tied head
"""
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SHAPES = {
    "a": dict(kind="gpt", layers=4, heads=4, dim=128, vocab=65, batch=12, seq=64),
    "c": dict(kind="llama", layers=6, heads=6, dim=288, hidden=768, vocab=32000, batch=8, seq=256),
}


def linear(inputs, outputs):
    return nn.Linear(inputs, outputs, bias=False)


class GptBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.n1 = nn.LayerNorm(dim, bias=False)
        self.qkv, self.proj = linear(dim, 3 * dim), linear(dim, dim)
        self.n2 = nn.LayerNorm(dim, bias=False)
        self.up, self.down = linear(dim, 4 * dim), linear(4 * dim, dim)

    def forward(self, x):
        B, T, C = x.shape
        parts = self.qkv(self.n1(x)).split(C, 2)
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(B, T, C))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class Gpt(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.tok, self.pos = nn.Embedding(s["vocab"], s["dim"]), nn.Embedding(s["seq"], s["dim"])
        self.blocks = nn.ModuleList(GptBlock(s["dim"], s["heads"]) for _ in range(s["layers"]))
        self.norm, self.head = nn.LayerNorm(s["dim"], bias=False), linear(s["dim"], s["vocab"])
        self.head.weight = self.tok.weight

    def forward(self, ids, targets):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())


def turn(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class LlamaBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.head_width = dim // heads
        self.n1, self.n2 = nn.RMSNorm(dim, eps=1e-5), nn.RMSNorm(dim, eps=1e-5)
        self.q, self.k, self.v, self.o = (linear(dim, dim) for _ in range(4))
        self.gate, self.up, self.down = linear(dim, hidden), linear(dim, hidden), linear(hidden, dim)

    def forward(self, x, cos, sin):
        B, T, _ = x.shape
        h = self.n1(x)
        q, k, v = (w(h).view(B, T, -1, self.head_width).transpose(1, 2) for w in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(turn(q, cos, sin), turn(k, cos, sin), v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(B, T, -1))
        h = self.n2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Llama(nn.Module):
    def __init__(self, s):
        super().__init__()
        width = s["dim"] // s["heads"]
        self.tok = nn.Embedding(s["vocab"], s["dim"])
        self.blocks = nn.ModuleList(
            LlamaBlock(s["dim"], s["heads"], s["hidden"]) for _ in range(s["layers"]))
        self.norm, self.head = nn.RMSNorm(s["dim"], eps=1e-5), linear(s["dim"], s["vocab"])
        self.head.weight = self.tok.weight
        angles = torch.outer(
            torch.arange(float(s["seq"])), 10000.0 ** (-torch.arange(0, width, 2) / width))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, ids, targets):
        x = self.tok(ids)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())


def build(shape):
    s = SHAPES[shape]
    torch.manual_seed(0)
    model = Gpt(s) if s["kind"] == "gpt" else Llama(s)
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1:
                p.normal_(0, 0.02)
    return model, s


def batches(path, s, rank=0, ranks=1):
    """Random sequences of a .pbin file of 16-bit tokens, without end; of ranks each has its part of a batch."""
    rng = np.random.default_rng(2)
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
    data = np.memmap(path, np.uint16, "r", offset=12, shape=(size // 2,))
    mine = s["batch"] // ranks
    while True:
        starts = rng.integers(0, len(data) - s["seq"] - 1, s["batch"])[rank * mine:(rank + 1) * mine]
        rows = torch.stack([torch.from_numpy(data[i:i + s["seq"] + 1].astype(np.int64)) for i in starts])
        yield rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


def timed_steps(run, model, optimizer, batches, steps):
    """Milliseconds and losses of training steps; `run` is the model as it is called."""
    times, losses = [], []
    for _ in range(steps):
        start = time.perf_counter()
        loss = run(*next(batches))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.detach())
        times.append((time.perf_counter() - start) * 1e3)
    return times, losses


def fused_adamw(model):
    matrices = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99), fused=True)
