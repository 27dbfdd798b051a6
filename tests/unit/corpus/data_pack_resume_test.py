"""`data pack --resume` after kills and interrupts at random moments gives the bytes of an undisturbed run.

usage: data_pack_resume_test.py MORTISE [SEED]
"""
import gzip
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

MORTISE = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 3
BLOCK = 1 << 20
GOES_ON, NOTHING_WRITTEN = 75, (128 + signal.SIGINT, 128 + signal.SIGTERM)


def write_inputs(folder: pathlib.Path, random_: random.Random) -> list[str]:
    def records(count: int) -> bytes:
        lines = []
        for i in range(count):
            lines.append(json.dumps({"text": f"{i} " + "word " * random_.randrange(400)}))
            if random_.randrange(200) == 0:
                lines.append(random_.choice(["", "{", '{"txt": 1}', "7"]))
        return "\n".join(lines).encode()

    (folder / "a.jsonl").write_bytes(records(12_000))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(records(12_000), 1))
    (folder / "c.txt").write_bytes(b"text " * 1_000_000)
    (folder / "d.jsonl").write_bytes(records(12_000))
    return [str(folder / name) for name in ("a.jsonl", "b.jsonl.gz", "c.txt", "d.jsonl")]


def command(inputs: list[str], out: pathlib.Path, *more: str) -> list[str]:
    return [MORTISE, "data", "pack", *inputs, "--tokenizer", "byte", "--on-error", "skip", "-o", str(out), *more]


def journal_entries(out: pathlib.Path) -> list[dict]:
    journal = out.parent / (out.name + ".journal.partial")
    if not journal.exists():
        return []
    lines = journal.read_bytes().split(b"\n")[:-1]  # without one that is not ended
    return [json.loads(line) for line in lines[1:]]


def disturbed(start: list[str], out: pathlib.Path, random_: random.Random, entries: int) -> int:
    """Runs until some more blocks are done, then ends it in one of three ways; its exit code."""
    process = subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wanted = entries + random_.randrange(1, 4)
    while process.poll() is None and len(journal_entries(out)) < wanted:
        time.sleep(0.001)
    time.sleep(random_.random() * 0.01)
    process.send_signal(random_.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    error = process.communicate()[1]
    assert process.returncode in (0, -signal.SIGKILL, GOES_ON, *NOTHING_WRITTEN), (process.returncode, error)
    if process.returncode == GOES_ON:
        assert "with --resume goes on" in error, error
    return process.returncode


def check_resumed(folder: pathlib.Path, inputs: list[str], *more: str) -> None:
    random_ = random.Random(SEED)
    undisturbed, out = folder / "undisturbed", folder / "disturbed"
    undisturbed.mkdir()
    out.mkdir()
    subprocess.run(command(inputs, undisturbed / "o.pbin", *more), check=True, stdout=subprocess.DEVNULL)
    seen, resumed = 0, 0
    for _ in range(200):
        workers = str(random_.choice([1, 2, 8]))
        start = command(inputs, out / "o.pbin", *more, "--resume", "--block", str(BLOCK), "--workers", workers)
        partial = out / ("o.all.pbin" if "--hold-out" in more else "o.pbin")
        if disturbed(start, partial, random_, seen) == 0:
            break
        assert not (out / "o.pbin").exists()
        entries = journal_entries(partial)
        assert len(entries) >= seen, "a job went back"
        resumed += len(entries) > seen
        seen = len(entries)
    assert resumed >= 2, f"only {resumed} runs have done a block"
    assert sorted(os.listdir(out)) == sorted(os.listdir(undisturbed))
    for name in os.listdir(undisturbed):
        assert (out / name).read_bytes() == (undisturbed / name).read_bytes(), name
    print(f"{resumed} interrupted runs, {seen} blocks:", ", ".join(sorted(os.listdir(out))))


def interrupted_job(folder: pathlib.Path, inputs: list[str]) -> pathlib.Path:
    out = folder / "o.pbin"
    folder.mkdir()
    while len(journal_entries(out)) < 2:
        disturbed(command(inputs, out, "--block", str(BLOCK)), out, random.Random(SEED), 2)
    return out


def check_refused(folder: pathlib.Path, inputs: list[str]) -> None:
    out = interrupted_job(folder / "other", inputs)
    before = sorted(os.listdir(out.parent))
    time.sleep(0.01)
    os.utime(inputs[1])
    for more, difference in ((["--field", ".body"], "differs in: field"), ([], "differs in: input 2")):
        result = subprocess.run(command(inputs, out, "--resume", *more), capture_output=True, text=True)
        assert result.returncode == 4 and difference in result.stderr, result
        assert sorted(os.listdir(out.parent)) == before, "a refusal removed what was done"
    with open(str(out) + ".partial", "r+b") as tokens:
        tokens.seek(1000)
        tokens.write(b"\xff\xff")
    journal = pathlib.Path(str(out) + ".journal.partial")
    state = os.stat(inputs[1])
    lines = journal.read_text().split("\n")
    job = json.loads(lines[0])
    name = next(key for key in job if key.startswith("input 2"))
    job[name] = f"{state.st_size} bytes, changed at {state.st_mtime_ns}"
    journal.write_text("\n".join([json.dumps(job), *lines[1:]]))
    result = subprocess.run(command(inputs, out, "--resume"), capture_output=True, text=True)
    assert result.returncode == 4 and "is not what the interrupted job left" in result.stderr, result
    result = subprocess.run(command(["-"], folder / "p.pbin", "--resume"), capture_output=True, text=True,
                            stdin=subprocess.DEVNULL)
    assert result.returncode == 2 and "standard input cannot be read again" in result.stderr, result


def check_small_job(folder: pathlib.Path) -> None:
    """An interrupt before the first full block leaves nothing."""
    folder.mkdir()
    process = subprocess.Popen(command(["-"], folder / "o.pbin"), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (folder / "o.pbin.partial").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.005)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 128 + signal.SIGTERM and b"nothing was written" in process.stderr.read()
    assert not os.listdir(folder)
    process.stdin.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        scratch_folder = pathlib.Path(scratch)
        files = write_inputs(scratch_folder, random.Random(SEED))
        for case, options in (("whole", ()), ("split", ("--hold-out", "5%"))):
            (scratch_folder / case).mkdir()
            check_resumed(scratch_folder / case, files, *options)
        check_refused(scratch_folder, files)
        check_small_job(scratch_folder / "small")
