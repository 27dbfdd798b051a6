#!/usr/bin/env python3
"""How long training steps wait for data, for each kind of data set.

usage: data_wait.py MORTISE [--steps 60] [--threads 2] [--tokens 50000000]

The small model of ../train/a.yaml, whose steps are short, on a packed file of random documents. For each kind:
the sum of perf/data_wait_ms over the sum of perf/step_ms of all steps but the first, and the medians of both. The
kinds take turns, so that all meet the same machine. Exit code 1 where a kind waits 1 % or more.
"""
import argparse
import array
import json
import os
import pathlib
import pickle
import random
import statistics
import subprocess
import sys
import tempfile

SHAPE = pathlib.Path(__file__).parent.parent / "train/a.yaml"
ROUNDS = 3
PACKED = "{use: packed_tokens, files: a.pbin}"
KINDS = {
    "packed_tokens, joined": f"data={{train: {PACKED}}}",
    "documents: isolated": f"data={{documents: isolated, train: {PACKED}}}",
    "cut: documents": "data={train: {use: packed_tokens, files: a.pbin, cut: documents}}",
    "block_permutation": f"data={{shuffle: {{use: block_permutation}}, train: {PACKED}}}",
    "mixture of three": "data={train: {use: mixture, weights: {a: 5, b: 3, c: 2}, "
                        f"sources: {{a: {PACKED}, b: {PACKED}, c: {PACKED}}}}}}}",
}


def write_tokens(path: pathlib.Path, count: int) -> None:
    """Random tokens below 65 in documents of 1 to 2,000."""
    rng = random.Random(1)
    tokens = array.array("H", bytes(2 * count))
    block = array.array("H", (rng.randrange(65) for _ in range(1 << 16)))
    for first in range(0, count, len(block)):
        tokens[first:first + len(block)] = block[:count - first]
    index, first = [], 0
    while first < count:
        size = min(rng.randint(1, 2000), count - first)
        index.append((2 * first, 2 * size))
        first += size
    with open(path, "wb") as file:
        file.write((2 * count).to_bytes(8, "little") + (2).to_bytes(4, "little"))
        tokens.tofile(file)
        pickle.dump(index, file, protocol=4)


def steps_of(mortise: str, folder: pathlib.Path, name: str, data: str, arguments) -> list[dict]:
    environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads), OMP_WAIT_POLICY="PASSIVE")
    done = subprocess.run([mortise, "run", "a.yaml", "--set", f"run.name={name}", "--set",
                           f"run.steps={arguments.steps}", "--set", data],
                          cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{data} ended with {done.returncode}:\n{done.stderr}")
    lines = map(json.loads, open(folder / "runs" / name / "metrics.jsonl"))
    return [line for line in lines if "train/loss" in line][1:]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mortise", type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=50_000_000)
    arguments = parser.parse_args()
    steps: dict[str, list[dict]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.yaml").write_text(SHAPE.read_text())
        write_tokens(folder / "a.pbin", arguments.tokens)
        for turn in range(ROUNDS):
            for number, (kind, data) in enumerate(KINDS.items()):
                steps[kind] += steps_of(arguments.mortise, folder, f"r{turn}k{number}", data, arguments)
    late = False
    for kind, all_steps in steps.items():
        waits = [s["perf/data_wait_ms"] for s in all_steps]
        times = [s["perf/step_ms"] for s in all_steps]
        share = sum(waits) / sum(times)
        late |= share >= 0.01
        print(f"{kind:24} waits {100 * share:6.3f} %   medians: wait {statistics.median(waits):.4f} ms, "
              f"step {statistics.median(times):.1f} ms, {len(all_steps)} steps")
    sys.exit(1 if late else 0)


if __name__ == "__main__":
    main()
