#!/usr/bin/env python3
"""FSDP on two ranks with one thread each against one process with two threads: the same global batch, data and cores.

usage: PYTHON fsdp_bench.py MORTISE [--shapes a c] [--rounds 7] [--set fsdp.reshard=false …] [--no-peer]

A round runs ours in one process, ours on two ranks and, with a Python that has torch 2.11.0, PyTorch in one process and
its FSDP2 on two ranks, one after the other, so that all meet the same machine. It gives the ratio of the medians of their steps (the
first ones left out). Printed: medians of the ratios with their 95 % bootstrap interval and quartiles. Last, host time:
a step of the units and layers of shape c with next to no numbers in them, as a share of the real step.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "train"))
from train_bench import VOCABULARY, WARM, interval, write_tokens  # noqa: E402

STEPS = {"a": 80, "c": 5}
ONE_RANK_BATCH = {"a": 12, "c": 8}  # sequences of a micro-batch
TINY = ["model.width=12", "model.hidden=4", "model.vocabulary_size=65", "batch.sequences=2", "batch.sequence_length=2",
        "data.train.files=a.pbin", "run.steps=200"]


def environment(threads: int, more: dict | None = None) -> dict:
    return dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="PASSIVE", **(more or {}))


def finish(children: list[subprocess.Popen], what: str) -> str:
    said = [child.communicate()[0] for child in children]
    if any(child.returncode != 0 for child in children):
        sys.exit(f"{what} ended with {[child.returncode for child in children]}:\n{''.join(said)}")
    return said[0]


def start(command: list[str], folder: pathlib.Path, env: dict) -> subprocess.Popen:
    return subprocess.Popen(command, cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def ours(given, shape: str, ranks: int, settings: list[str]) -> dict:
    """Medians of the phases of a step, and the first losses."""
    name = f"{shape}{time.time_ns()}"
    sets = [f"run.name={name}", f"run.steps={STEPS[shape]}", f"batch.micro_batch={ONE_RANK_BATCH[shape] // ranks}", *settings]
    command = [given.mortise, "run", f"{shape}.yaml", "-n", str(ranks)]
    for s in sets:
        command += ["--set", s]
    finish([start(command, given.folder, environment(2 // ranks))], " ".join(command))
    lines = [json.loads(line) for line in open(given.folder / "runs" / name / "metrics.jsonl")]
    records = [r for r in lines if "train/loss" in r]
    steady = records[WARM[shape]:]
    phases = {k[5:-3]: statistics.median(r[k] for r in steady) for k in steady[0] if k.endswith("_ms")}
    return {"step": phases["step"], "phases": phases, "losses": [r["train/loss"] for r in records]}


def peer(given, shape: str, ranks: int) -> dict:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(HERE / "fsdp_peer.py"), shape, f"{shape}.pbin", str(STEPS[shape])]
    children = []
    for rank in range(ranks):
        place = {"RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                 "GLOO_SOCKET_IFNAME": "lo"} if ranks > 1 else {}
        children.append(start(command, given.folder, environment(2 // ranks, place)))
    result = json.loads(finish(children, "the peer").splitlines()[-1])
    return {"step": statistics.median(result["times"][WARM[shape]:]), "losses": result["losses"]}


def median_step(runs: list[dict]) -> float:
    return statistics.median(r["step"] for r in runs)


def compare(label: str, two: list[dict], one: list[dict]) -> None:
    ratios = [a["step"] / b["step"] for a, b in zip(two, one)]
    print(f"  {label}: {median_step(two):.2f} ms and {median_step(one):.2f} ms, ratio {interval(ratios)}")


def bench(given, shape: str) -> None:
    one, two, peer_one, peer_two = [], [], [], []
    fsdp = [f"parallel.{s}" for s in given.set]
    for _ in range(given.rounds):
        one.append(ours(given, shape, 1, []))
        two.append(ours(given, shape, 2, fsdp))
        if given.peer:
            peer_one.append(peer(given, shape, 1))
            peer_two.append(peer(given, shape, 2))
    print(f"{shape}: two ranks with one thread and one process with two, {given.rounds} rounds, {time.strftime('%F')}"
          f"{', ' + ' '.join(given.set) if given.set else ''}")
    compare("ours, fsdp", two, one)
    phases = {k: statistics.median(r["phases"][k] for r in two) for k in two[0]["phases"]}
    print("    phases of the two ranks, ms: " + ", ".join(f"{k} {v:.1f}" for k, v in phases.items() if k != "step"))
    print(f"    loss of steps 0 and 3: {two[0]['losses'][0]:.4f} {two[0]['losses'][3]:.4f} and "
          f"{one[0]['losses'][0]:.4f} {one[0]['losses'][3]:.4f}")
    if given.peer:
        compare("PyTorch, FSDP2", peer_two, peer_one)
        compare("ours against PyTorch's, both on two ranks", two, peer_two)
    sys.stdout.flush()


def host_time(given) -> None:
    """An upper bound: it still holds the start of every kernel, and the kernels of a few numbers."""
    real = statistics.median(ours(given, "c", 1, [])["step"] for _ in range(3))
    tiny = statistics.median(ours(given, "c", 1, TINY + ["batch.micro_batch=2"])["step"] for _ in range(3))
    print(f"host time of shape c: at most {tiny:.2f} ms of {real:.0f} ms, {100 * tiny / real:.2f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mortise")
    parser.add_argument("--shapes", nargs="*", default=["a", "c"], choices=["a", "c"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--set", nargs="+", default=[], metavar="fsdp.KEY=VALUE")
    parser.add_argument("--no-peer", dest="peer", action="store_false")
    given = parser.parse_args()
    given.mortise = str(pathlib.Path(given.mortise).resolve())
    if given.peer and importlib.util.find_spec("torch") is None:
        print("this Python has no torch: without the peer")
        given.peer = False
    with tempfile.TemporaryDirectory() as name:
        given.folder = pathlib.Path(name)
        for shape in "ac":
            write_tokens(given.folder / f"{shape}.pbin", VOCABULARY[shape])
            (given.folder / f"{shape}.yaml").write_text((HERE.parent / "train" / f"{shape}.yaml").read_text())
        for shape in given.shapes:
            bench(given, shape)
        host_time(given)


if __name__ == "__main__":
    main()
