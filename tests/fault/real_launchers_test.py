"""Launchers that are installed here: torchrun, mpirun, Slurm with two emulated nodes. Each starts the
same file, and the numbers are those of `mortise run -n`.

usage: real_launchers_test.py SOURCE_FOLDER BUILD_FOLDER torchrun|mpirun|slurm

Exit code 77: this launcher is not here. torchrun is looked for in PATH, or named by MORTISE_TORCHRUN.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE, BUILD, NAME = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
PROGRAM = str(BUILD / "bin/mortise")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PATH": f"{BUILD}/bin:{os.environ['PATH']}"}
LIMIT = 180


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def sets(*assignments):
    return [word for a in assignments for word in ("--set", a)]


def run(*command, expect=0, **more):
    environment = {**ENVIRONMENT, **more}
    done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=LIMIT)
    if done.returncode != expect:
        sys.exit(f"{' '.join(command)}\nexit code {done.returncode}, expected {expect}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def numbers(name):
    """Losses, norms and rates of a run, each once."""
    found = set()
    for line in open(f"runs/{name}/metrics.jsonl"):
        record = json.loads(line)
        found |= {(record["step"], k, record[k]) for k in record if k.startswith(("train/", "eval/"))}
    return found


def check(condition, text):
    if not condition:
        sys.exit(f"wrong: {text}")


def check_same(name, expected):
    got = numbers(name)
    check(got == expected, f"{name}: {sorted(got ^ expected)[:6]}")
    print(f"{name}: {len(got)} numbers are those of run -n 4")


def torchrun():
    program = os.environ.get("MORTISE_TORCHRUN") or shutil.which("torchrun")
    if not program:
        skip("no torchrun in PATH")
    start = [program, "--nproc-per-node", "4", "--rdzv-backend", "c10d", "--rdzv-endpoint",
             "127.0.0.1:0", "--no-python", PROGRAM, "run", "run.yaml"]
    run(*start, *sets("run.name=torchrun"))
    check_same("torchrun", numbers("tiny"))
    # torchrun restarts what is lost.
    faulty = ["--plugin", str(BUILD / "tests/plugins/mortise_faulty.so")] + sets(
        "observers={use: faulty}", "layer_ops={use: faulty, call: forward, how: kill_once, at: 6, rank: 1}",
        "run.name=restarted")
    said = run(*start[:1], "--max-restarts", "1", *start[1:], *faulty)
    check("goes on at step 4" in said, said)
    check_same("restarted", numbers("tiny"))


def mpirun():
    if not shutil.which("mpirun"):
        skip("no mpirun in PATH")
    start = ["mpirun", "-n", "4", "--oversubscribe", PROGRAM, "run", "run.yaml"]
    if os.getuid() == 0:
        start.insert(1, "--allow-run-as-root")
    run(*start, *sets("run.name=mpirun"))
    check_same("mpirun", numbers("tiny"))


def wait_for_job(job, seconds=LIMIT):
    """Until it has ended; lets it start at once where it waits after it was put back."""
    states = []
    for _ in range(seconds * 5):
        shown = run("scontrol", "show", "job", job, "--oneliner")
        fields = dict(w.split("=", 1) for w in shown.split() if "=" in w)
        if not states or states[-1] != fields["JobState"]:
            states.append(fields["JobState"])
        if fields["JobState"] in ("COMPLETED", "FAILED", "CANCELLED", "NODE_FAIL"):
            return fields
        if fields["JobState"] == "PENDING" and fields["Reason"] == "BeginTime":
            subprocess.run(["scontrol", "update", f"JobId={job}", "StartTime=now"], env=ENVIRONMENT,
                           capture_output=True)
        time.sleep(0.2)
    sys.exit(f"job {job} does not end: {states}")


def batch(*words):
    return run("sbatch", "--parsable", "--nodes=2", "--ntasks-per-node=2", "--time=5",
               "--output=job-%j.txt", *words).strip()


def slurm():
    for needed in ("slurmctld", "slurmd", "srun", "munged"):
        if not shutil.which(needed):
            skip(f"no {needed} in PATH")
    if os.getuid() != 0:
        skip("Slurm can be started by root alone")
    script = SOURCE / "tests/fault/slurm_on_one_machine.sh"
    folder = pathlib.Path("slurm").absolute()
    ENVIRONMENT["SLURM_CONF"] = f"{folder}/slurm.conf"
    ENVIRONMENT["MASTER_ADDR"] = "127.0.0.1"  # the emulated nodes have no names
    try:
        run(script, "start", str(folder))
        slurm_jobs()
    finally:
        run(script, "stop", str(folder))


def slurm_jobs():
    run("srun", "-N2", "-n4", PROGRAM, "run", "run.yaml", *sets("run.name=srun"))
    check_same("srun", numbers("tiny"))

    pathlib.Path("alone.sh").write_text("#!/bin/bash\nmortise run run.yaml\n")
    job = batch("alone.sh")
    check(wait_for_job(job)["ExitCode"] == "6:0", "a script without srun is refused")
    said = pathlib.Path(f"job-{job}.txt").read_text()
    check("R0108" in said and "srun mortise run run.yaml" in said, said)

    long = sets("run.steps=60", "checkpoint.every=60", "eval=null")
    run(PROGRAM, "run", "run.yaml", "-n", "4", *long, *sets("run.name=long"))
    expected = numbers("long")
    job = batch(str(SOURCE / "packaging/slurm/train.sbatch"), "run.yaml", *long,
                *sets("run.name=requeued", "run.stop_after=1s"))
    fields = wait_for_job(job)
    said = pathlib.Path(f"job-{job}.txt").read_text()
    check(fields["JobState"] == "COMPLETED" and int(fields["Restarts"]) >= 1, f"{fields}\n{said}")
    check("stopped at step" in said and "goes on at step" in said, said)
    check_same("requeued", expected)
    print(f"put back {fields['Restarts']} times")

    job = batch(str(SOURCE / "packaging/slurm/train.sbatch"), "run.yaml", *long,
                *sets("run.name=signalled"))
    for _ in range(LIMIT * 10):
        metrics = pathlib.Path("runs/signalled/metrics.jsonl")
        if metrics.exists() and metrics.read_text().count("\n") > 20:
            break
        time.sleep(0.1)
    run("scancel", "--signal=USR1", job)
    fields = wait_for_job(job)
    check(fields["JobState"] == "COMPLETED" and fields["Restarts"] == "1", fields)
    check_same("signalled", expected)


signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    text = (SOURCE / "configs/shakespeare/shakespeare.txt").read_text()
    pathlib.Path("words.txt").write_text(text[:6000])
    shutil.copy(SOURCE / "tests/fixtures/runs/tiny.yaml", "run.yaml")
    run(PROGRAM, "run", "run.yaml", "-n", "4")
    {"torchrun": torchrun, "mpirun": mpirun, "slurm": slurm}[NAME]()
