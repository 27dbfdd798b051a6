#!/usr/bin/env python3
"""One rank of PyTorch's FSDP2 (fully_shard, Gloo) on a shape of ../train, or the only process without it.

usage: fsdp_peer.py SHAPE DATA STEPS     RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT say which rank; none: one process

Each block is a group, what is left the root group, as its users write it. Every rank has its part of the global
batch. The first rank prints one JSON line: milliseconds of each step, losses of the whole batch.
"""
import json
import os
import pathlib
import sys
import time

import numpy as np
import torch
import torch.distributed as dist

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "train"))
from models import build, fused_adamw  # noqa: E402

shape, path, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
rank, ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
model, s = build(shape)
if ranks > 1:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (ranks,))
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
optimizer = fused_adamw(model)
rng = np.random.default_rng(2)
with open(path, "rb") as file:
    size = int.from_bytes(file.read(8), "little")
data = np.memmap(path, np.uint16, "r", offset=12, shape=(size // 2,))
mine = s["batch"] // ranks


def batch():
    starts = rng.integers(0, len(data) - s["seq"] - 1, s["batch"])[rank * mine:(rank + 1) * mine]
    rows = torch.stack([torch.from_numpy(data[i:i + s["seq"] + 1].astype(np.int64)) for i in starts])
    return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


times, losses = [], []
for _ in range(steps):
    start = time.perf_counter()
    ids, targets = batch()
    loss = model(ids, targets)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    losses.append(loss.detach())
    times.append((time.perf_counter() - start) * 1e3)
for loss in losses if ranks > 1 else []:
    dist.all_reduce(loss.div_(ranks))
if rank == 0:
    print(json.dumps({"times": times, "losses": [loss.item() for loss in losses]}), flush=True)
if ranks > 1:
    dist.barrier()
os._exit(0)  # FSDP2 over Gloo now and then ends with "terminate called" in its destructors
