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

import torch
import torch.distributed as dist

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "train"))
from models import batches, build, fused_adamw, timed_steps  # noqa: E402

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
times, losses = timed_steps(model, model, fused_adamw(model), batches(path, s, rank, ranks), steps)
for loss in losses if ranks > 1 else []:
    dist.all_reduce(loss.div_(ranks))
if rank == 0:
    print(json.dumps({"times": times, "losses": [loss.item() for loss in losses]}), flush=True)
if ranks > 1:
    dist.barrier()
os._exit(0)  # FSDP2 over Gloo now and then ends with "terminate called" in its destructors
