#!/usr/bin/env python3
"""TensorBoard itself reads what the sink has written, and finds the numbers of metrics.jsonl.

usage: read_back.py MORTISE SOURCE

One run of ten steps goes on again after step 4: TensorBoard must drop the steps that were done twice.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


def float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def merged(lines):
    """{name: [(step, value)]} as the last attempt at each step left it."""
    records = []
    for line in map(json.loads, lines):
        if "resumed_at" in line:
            records = [r for r in records if r["step"] <= line["resumed_at"]]
        else:
            records.append(line)
    scalars = {}
    for r in records:
        for name, value in r.items():
            if name not in ("step", "time", "non_finite"):
                scalars.setdefault(name, []).append((r["step"], float32(value)))
    return scalars


def main():
    mortise, source = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = (source / "configs/shakespeare/shakespeare.txt").read_text()[:6000]
        (folder / "words.txt").write_text(text)
        (folder / "run.yaml").write_text((source / "tests/fixtures/runs/tiny.yaml").read_text())
        run = [mortise, "run", "run.yaml", "--set", "log.sinks=[tensorboard]"]
        for more in [], ["--resume", "4"]:
            subprocess.run(run + more, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        expected = merged(open(folder / "runs/tiny/metrics.jsonl"))
        found = EventAccumulator(str(folder / "runs/tiny"), size_guidance={"scalars": 0}).Reload()
        read = {tag: [(e.step, e.value) for e in found.Scalars(tag)] for tag in found.Tags()["scalars"]}
    assert "train/loss" in expected and len(expected["train/loss"]) == 10, expected.get("train/loss")
    assert sorted(read) == sorted(expected), (sorted(read), sorted(expected))
    for tag, values in expected.items():
        assert read[tag] == values, f"{tag}: TensorBoard reads {read[tag]}, metrics.jsonl has {values}"
    print(f"{len(read)} scalars of TensorBoard equal metrics.jsonl")


if __name__ == "__main__":
    main()
