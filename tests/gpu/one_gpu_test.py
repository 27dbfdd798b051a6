#!/usr/bin/env python3
"""A run on one GPU has the losses of the CPU, up to rounding, and reports the GPU's memory.

usage: one_gpu_test.py MORTISE

Exit code 0: it has; 1: it has not; 77: there is no GPU.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

RUN = """mortise: 1
run: {name: tiny, steps: 20}
batch: {sequences: 8, sequence_length: 64}
tokenizer: byte
data: {train: {use: text, files: letters.txt}}
model: {use: llama, width: 64, layers: 2, heads: 4}
optimizer: {use: adamw, learning_rate: 1e-3}
log: {every: 1}
"""


def run(mortise: str, folder: pathlib.Path, device: str) -> list[dict]:
    command = [mortise, "run", "run.yaml", "--set", f"run.device={device}", "--set", f"run.folder={device}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    lines = (folder / device / "tiny" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [record for record in map(json.loads, lines) if "train/loss" in record]


def main(mortise: str) -> int:
    if not pathlib.Path("/dev/nvidiactl").exists():
        print("skipped: this machine has no GPU of NVIDIA (/dev/nvidiactl is not there)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        letters = random.Random(1)
        (folder / "letters.txt").write_text("".join(letters.choice("abcdefgh \n") for _ in range(40000)))
        (folder / "run.yaml").write_text(RUN)
        cpu, gpu = run(mortise, folder, "cpu"), run(mortise, folder, "cuda")
    worst = max(abs(a["train/loss"] / b["train/loss"] - 1) for a, b in zip(cpu, gpu, strict=True))
    memory = gpu[-1].get("memory/device_peak_bytes", 0)
    print(f"largest relative difference of losses {worst:.2e}, peak on the GPU {memory} bytes")
    return 0 if worst < 1e-3 and memory > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
