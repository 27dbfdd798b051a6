#!/usr/bin/env python3
"""What the boundary to the plugins costs a whole training step: crossings x time for each / step time.

usage: crossings.py BUILD_FOLDER [--threads 2]

Crossings are counted in the program as it is: callgrind (Debian: valgrind) counts the calls of every
thunk, in both directions, in runs of 2 and of 4 steps; their number does not depend on widths, so the
counted runs are narrow. The time is the largest of crossing_bench. Steps are timed without callgrind.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

import train.train_bench as train

NARROW = {"a": ["model.width=8", "model.heads=2"], "c": ["model.width=8", "model.heads=2", "model.hidden=8"]}
THUNK = re.compile(r"make_thunk<&\(?(?:mortise::)?(\w+)::(\w+).*::_FUN\(")


def run(command: list, folder: pathlib.Path, threads: int) -> str:
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="PASSIVE")
    return subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


def calls(profile: pathlib.Path) -> collections.Counter:
    """Calls of each thunk, "Interface::method", in a callgrind profile."""
    names, called, counts = {}, "", collections.Counter()
    for line in open(profile):
        if line.startswith(("fn=", "cfn=")):
            number, _, name = line.split("=", 1)[1].strip().partition(" ")
            names.setdefault(number, name)
            if line.startswith("cfn="):
                called = names[number]
        elif line.startswith("calls=") and (thunk := THUNK.search(called)):
            counts["::".join(thunk.groups())] += int(line.split()[0].split("=")[1])
    return counts


def crossings(program: str, shape: str, folder: pathlib.Path) -> collections.Counter:
    """Of one step."""
    counted = {}
    for steps in (2, 4):
        name = f"{shape}-{steps}-counted"
        sets = [f"run.name={name}", f"run.steps={steps}", "run.peak_flops=1", "model.vocabulary_size=65",
                "data.train.files=a.pbin", "batch={sequences: 2, sequence_length: 8, micro_batch: 2}", *NARROW[shape]]
        run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={name}", program, "run", f"{shape}.yaml",
             *(word for s in sets for word in ("--set", s))], folder, 1)
        counted[steps] = calls(folder / name)
    return collections.Counter({k: (n - counted[2][k]) / 2 for k, n in counted[4].items() if n > counted[2][k]})


def step_ms(program: str, shape: str, folder: pathlib.Path, threads: int) -> float:
    run([program, "run", f"{shape}.yaml", "--set", f"run.name={shape}", "--set", f"run.steps={train.STEPS[shape]}"],
        folder, threads)
    records = [json.loads(line) for line in open(folder / "runs" / shape / "metrics.jsonl")]
    return statistics.median([r["perf/step_ms"] for r in records if "perf/step_ms" in r][train.WARM[shape]:])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    program = str(given.build.resolve() / "bin" / "mortise")
    said = run([str(given.build.resolve() / "tests" / "crossing_bench")], given.build, 1)
    nanoseconds = max(float(above) for above in re.findall(r"above +([\d.]+) ns", said))
    print(f"largest time of a crossing: {nanoseconds:.0f} ns")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for shape in ("a", "c"):
            train.write_tokens(folder / f"{shape}.pbin", train.VOCABULARY[shape])
            (folder / f"{shape}.yaml").write_text((train.HERE / f"{shape}.yaml").read_text())
            each = crossings(program, shape, folder)
            total, ms = sum(each.values()), step_ms(program, shape, folder, given.threads)
            print(f"{shape}: {total:g} crossings a step = {total * nanoseconds * 1e-3:.1f} us of {ms:.2f} ms: "
                  f"{100 * total * nanoseconds * 1e-6 / ms:.4f} %")
            print("   " + ", ".join(f"{k} {n:g}" for k, n in each.most_common()), flush=True)


if __name__ == "__main__":
    main()
