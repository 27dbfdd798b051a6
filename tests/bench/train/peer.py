#!/usr/bin/env python3
"""Trains one shape in Python PyTorch and prints one JSON line: milliseconds of each step, losses.

usage: peer.py SHAPE DATA STEPS [--compile]

A step is what it is in ours: batch from memory, forward, loss, backward, clipping to norm 1, fused
AdamW. DATA holds 16-bit tokens after 12 bytes (a .pbin file); threads come from OMP_NUM_THREADS.
"""
import json
import sys

import torch

from models import batches, build, fused_adamw, timed_steps

shape, path, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
model, s = build(shape)
run = torch.compile(model) if "--compile" in sys.argv else model
times, losses = timed_steps(run, model, fused_adamw(model), batches(path, s), steps)
print(json.dumps({"times": times, "losses": [loss.item() for loss in losses], "torch": torch.__version__,
                  "threads": torch.get_num_threads()}))
