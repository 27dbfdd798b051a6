#!/usr/bin/env python3
"""A training step of ours against Python PyTorch: same model, batch, data, threads and LibTorch.

usage: PYTHON_WITH_TORCH_2.11 train_bench.py MORTISE [--shapes a c] [--threads 2] [--pairs 9] [--compiled 3]

Pairs of processes, ours and the peer in turn, so that both meet the same machine. A pair gives the ratio
of the medians of their steps (the first ones of a process are left out) and the ratio of their largest
resident memory, which the kernel counts for a process. Printed: the median of the ratios, its 95 %
bootstrap interval, their quartiles. Then N pairs against torch.compile with a warm cache.
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
import time

HERE = pathlib.Path(__file__).parent
STEPS = {"a": 80, "c": 4}  # of a process
WARM = {"a": 10, "c": 1}
VOCABULARY = {"a": 65, "c": 32000}


def write_tokens(path: pathlib.Path, vocabulary: int) -> None:
    """A million random tokens as a .pbin file."""
    rng = random.Random(1)
    tokens = array.array("H", (rng.randrange(vocabulary) for _ in range(1 << 20)))
    size = len(tokens) * 2
    with open(path, "wb") as file:
        file.write(size.to_bytes(8, "little") + (2).to_bytes(4, "little"))
        tokens.tofile(file)
        pickle.dump([(0, size)], file, protocol=4)


def run(command: list[str], folder: pathlib.Path, threads: int) -> dict:
    """Runs a process; its output, CPU seconds and largest resident memory."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="PASSIVE")
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(command, cwd=folder, env=environment, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {child.returncode}:\n{text}")
    return {"text": text, "cpu": usage.ru_utime + usage.ru_stime, "bytes": usage.ru_maxrss * 1024}


def ours(mortise: str, shape: str, folder: pathlib.Path, threads: int, number: int) -> dict:
    name = f"{shape}{number}"
    done = run([mortise, "run", f"{shape}.yaml", "--set", f"run.name={name}", "--set", f"run.steps={STEPS[shape]}"],
               folder, threads)
    records = [json.loads(line) for line in open(folder / "runs" / name / "metrics.jsonl")]
    records = [r for r in records if "train/loss" in r]
    done["times"] = [r["perf/step_ms"] for r in records]
    done["losses"] = [r["train/loss"] for r in records]
    done["mfu"] = statistics.median(r["perf/mfu"] for r in records)
    return done


def peer(shape: str, folder: pathlib.Path, threads: int, more: list[str]) -> dict:
    done = run([sys.executable, str(HERE / "peer.py"), shape, f"{shape}.pbin", str(STEPS[shape]), *more], folder,
               threads)
    return done | json.loads(done["text"].splitlines()[-1])


def interval(values: list[float]) -> str:
    """Median, quartiles and a 95 % bootstrap interval of the median."""
    rng = random.Random(0)
    medians = sorted(statistics.median(rng.choices(values, k=len(values))) for _ in range(4000))
    low, _, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return (f"{statistics.median(values):.3f}  (95 % {medians[100]:.3f}–{medians[-101]:.3f}, "
            f"quartiles {low:.3f}–{high:.3f}, n {len(values)})")


def compare(shape: str, label: str, pairs: list[tuple[dict, dict]]) -> None:
    def median_step(run: dict) -> float:
        return statistics.median(run["times"][WARM[shape]:])

    mine, theirs = [median_step(m) for m, _ in pairs], [median_step(t) for _, t in pairs]
    print(f"{shape} against {label}: step {statistics.median(mine):.2f} ms and {statistics.median(theirs):.2f} ms")
    print(f"  step time     {interval([a / b for a, b in zip(mine, theirs)])}")
    print(f"  peak memory   {interval([m['bytes'] / t['bytes'] for m, t in pairs])}"
          f"   {statistics.median(m['bytes'] for m, _ in pairs) / 1e6:.0f} MB"
          f" and {statistics.median(t['bytes'] for _, t in pairs) / 1e6:.0f} MB")
    last = min(9, STEPS[shape] - 1)
    print(f"  loss of step 0 and {last}: {pairs[0][0]['losses'][0]:.4f} {pairs[0][0]['losses'][last]:.4f} and "
          f"{pairs[0][1]['losses'][0]:.4f} {pairs[0][1]['losses'][last]:.4f};  our mfu {pairs[0][0]['mfu']:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mortise")
    parser.add_argument("--shapes", nargs="+", default=["a", "c"], choices=["a", "c"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--compiled", type=int, default=3)
    given = parser.parse_args()
    mortise = str(pathlib.Path(given.mortise).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "inductor")
        for shape in given.shapes:
            write_tokens(folder / f"{shape}.pbin", VOCABULARY[shape])
            (folder / f"{shape}.yaml").write_text((HERE / f"{shape}.yaml").read_text())
            numbers = iter(range(1000))
            print(f"{shape}: {given.threads} threads, {time.strftime('%F')}")

            def pair(more: list[str]) -> tuple[dict, dict]:
                return ours(mortise, shape, folder, given.threads, next(numbers)), peer(shape, folder, given.threads, more)

            compare(shape, "PyTorch, eager, fused AdamW", [pair([]) for _ in range(given.pairs)])
            if given.compiled > 0:
                peer(shape, folder, given.threads, ["--compile"])  # fills the cache
                compare(shape, "PyTorch, compiled, fused AdamW", [pair(["--compile"]) for _ in range(given.compiled)])


if __name__ == "__main__":
    main()
