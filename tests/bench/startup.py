#!/usr/bin/env python3
"""From the start of the process to the end of the first training step, for a nano model.

usage: startup.py MORTISE [--runs 9] [--python PYTHON_WITH_TORCH]

Prints medians in seconds; with --python also those of a Python process that imports torch and trains
the same shape for one step, interleaved with ours, and the ratio.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

CONFIG = """
mortise: 1
run: {name: nano, steps: 1}
batch: {sequences: 12, sequence_length: 64, micro_batch: 12}
tokenizer: byte
data: {train: {use: text, files: text.txt, cache: cache}}
model: {use: llama, width: 128, layers: 4, heads: 4, hidden: 344}
optimizer: {use: adamw, learning_rate: 1e-3}
"""

PEER = """
import time, torch, torch.nn as nn, torch.nn.functional as F
layer = lambda: nn.TransformerEncoderLayer(128, 4, 344, 0.0, batch_first=True, norm_first=True)
model = nn.Sequential(nn.Embedding(257, 128), *[layer() for _ in range(4)], nn.Linear(128, 257))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
ids = torch.randint(0, 257, (12, 65))
F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()).backward()
optimizer.step()
print(time.time())
"""


def ours(mortise: str, folder: pathlib.Path, number: int) -> float:
    start = time.time()
    subprocess.run(
        [mortise, "run", "nano.yaml", "--set", f"run.name=nano{number}"],
        cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    records = map(json.loads, open(folder / f"runs/nano{number}/metrics.jsonl"))
    return next(r["time"] for r in records if r["step"] == 1) - start


def peer(python: str, folder: pathlib.Path) -> float:
    start = time.time()
    done = subprocess.run([python, "-c", PEER], cwd=folder, check=True, capture_output=True, text=True)
    return float(done.stdout) - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mortise")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--python")
    given = parser.parse_args()
    mortise = str(pathlib.Path(given.mortise).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "nano.yaml").write_text(CONFIG)
        (folder / "text.txt").write_text("to be or not to be, that is the question. " * 500)
        ours(mortise, folder, 999)  # packs the text once
        mine, theirs = [], []
        for run in range(given.runs):
            mine.append(ours(mortise, folder, run))
            if given.python:
                theirs.append(peer(given.python, folder))
    median = statistics.median(mine)
    print(f"mortise: {median:.2f} s to the end of the first step (median of {given.runs}, {min(mine):.2f}–{max(mine):.2f})")
    if theirs:
        other = statistics.median(theirs)
        print(f"python:  {other:.2f} s ({min(theirs):.2f}–{max(theirs):.2f})   ratio {median / other:.2f}")


if __name__ == "__main__":
    main()
