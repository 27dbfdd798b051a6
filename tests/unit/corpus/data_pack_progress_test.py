"""Progress of `data pack`: a bar on a terminal, nothing on a pipe, JSON lines where they are asked for.

usage: data_pack_progress_test.py MORTISE
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import time

MORTISE = sys.argv[1]
ERASE = "\r\x1b[2K"


def command(source: str, out: pathlib.Path, *more: str) -> list[str]:
    return [MORTISE, "data", "pack", source, "--tokenizer", "byte", "-o", str(out), *more]


def shown_on_terminal(start: list[str]) -> str:
    terminal, end = pty.openpty()
    process = subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=end)
    os.close(end)
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # how a terminal says that its other end is closed
            break
        if not part:
            break
        shown += part
    os.close(terminal)
    assert process.wait() == 0, shown
    return shown.decode()


def check_terminal(folder: pathlib.Path) -> None:
    source = folder / "a.jsonl"
    source.write_text((json.dumps({"text": "some words " * 100}) + "\n") * 150_000)
    shown = shown_on_terminal(command(str(source), folder / "a.pbin"))
    lines = shown.split(ERASE)
    bar = re.compile(r"packing \[#* *\] +\d+%  \d+\.\d MB/s  [\d.]+[kMBT]? tokens/s  \S+ left")
    assert any(bar.fullmatch(line) for line in lines), lines[:5]
    assert all(len(line) < 100 for line in lines), "a line must fit"
    assert lines[-1] == "", "the line is erased at the end"
    quiet = subprocess.run(command(str(source), folder / "b.pbin"), capture_output=True, text=True)
    assert quiet.returncode == 0 and quiet.stderr == "" and len(quiet.stdout.splitlines()) == 1, quiet


def check_json(folder: pathlib.Path) -> None:
    """Standard input: what is left is not known. Two batches, more than a second apart."""
    batch = ((json.dumps({"text": "word " * 200}) + "\n") * 1_200).encode()
    process = subprocess.Popen(command("-", folder / "c.pbin", "--json"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for _ in range(2):
        process.stdin.write(batch)
        process.stdin.flush()
        time.sleep(1.2)
    process.stdin.close()
    records = [json.loads(line) for line in process.stdout.read().splitlines()]
    assert process.wait() == 0
    assert [record["type"] for record in records] == ["progress"] * (len(records) - 1) + ["result"], records
    assert len(records) >= 2, records
    facts = {"done_bytes", "total_bytes", "text_bytes", "documents", "tokens", "seconds", "megabytes_per_second",
             "tokens_per_second", "seconds_left"}
    for record in records:
        assert facts <= set(record), record
        assert record["total_bytes"] is None and record["seconds_left"] is None, record
    result = records[-1]
    assert result["done_bytes"] == 2 * len(batch) and result["documents"] == 2_400, result
    assert result["tokens"] == 2_400 * 1_001 and result["text_bytes"] == 2_400 * 1_000, result
    assert abs(result["tokens_per_second"] * result["seconds"] / result["tokens"] - 1) < 1e-6, result


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        check_terminal(pathlib.Path(scratch))
        check_json(pathlib.Path(scratch))
