#!/usr/bin/env python3
"""Trains one shape in Python PyTorch and prints one JSON line: milliseconds of each step, losses.

usage: peer.py SHAPE DATA STEPS [--compile]

A step is what it is in ours: batch from memory, forward, loss, backward, clipping to norm 1, fused
AdamW. DATA holds 16-bit tokens after 12 bytes (a .pbin file); threads come from OMP_NUM_THREADS.
"""
import json
import sys
import time

import numpy as np
import torch

from models import build, fused_adamw

shape, path, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
model, s = build(shape)
optimizer = fused_adamw(model)
run = torch.compile(model) if "--compile" in sys.argv else model
rng = np.random.default_rng(2)
with open(path, "rb") as file:
    size = int.from_bytes(file.read(8), "little")
data = np.memmap(path, np.uint16, "r", offset=12, shape=(size // 2,))


def batch():
    starts = rng.integers(0, len(data) - s["seq"] - 1, s["batch"])
    rows = torch.stack([torch.from_numpy(data[i:i + s["seq"] + 1].astype(np.int64)) for i in starts])
    return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


times, losses = [], []
for _ in range(steps):
    start = time.perf_counter()
    ids, targets = batch()
    loss = run(ids, targets)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    losses.append(loss.item())
    times.append((time.perf_counter() - start) * 1e3)
print(json.dumps({"times": times, "losses": losses, "torch": torch.__version__,
                  "threads": torch.get_num_threads()}))
