"""Each bad run file gives the text that stands beside it: bad_runs_test.py PROGRAM SOURCE BUILD [--write]

tests/fixtures/bad_runs/NAME.yaml has one mistake (five_mistakes.yaml has five) and goes through
`mortise check NAME.yaml`, or through the command in its first line. NAME.expected is what comes on
standard error and the exit code. --write writes them anew, to be read before they are committed.
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

PROGRAM, SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
FIXTURES = SOURCE / "tests/fixtures/bad_runs"
WRITES = "--write" in sys.argv

# What every message begins with: file, line and column, or the option, then an id.
FRONT = re.compile(r"(([\w./]+:\d+:\d+)|(--set( [^:\n]*)?)): error\[[CPD]\d{4}\]: ")


def command_of(file):
    first = file.read_bytes().split(b"\n")[0].decode("utf-8", "replace")
    words = first[len("# mortise ") :] if first.startswith("# mortise ") else "check FILE"
    plugins = str(BUILD / "tests/plugins")
    return [file.name if word == "FILE" else word.replace("PLUGINS", plugins) for word in shlex.split(words)]


def said(file, folder):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "XDG_CACHE_HOME": str(folder / ".cache"),
                   "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run([PROGRAM, *command_of(file)], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    text = done.stderr.replace(f"{folder}/", "").replace(f"{BUILD}/", "BUILD/")
    text = re.sub(r"\d+\.\d+\.\d+ \(BUILD", "VERSION (BUILD", text)
    return f"{text}exit {done.returncode}\n"


def problems_of(file, folder):
    got = said(file, folder)
    expected = file.with_suffix(".expected")
    if WRITES:
        expected.write_text(got)
    want = expected.read_text() if expected.exists() else ""
    if got != want:
        yield f"{file.name}: expected\n{want}got\n{got}"
    mistakes = 5 if file.stem == "five_mistakes" else 1
    if len(re.findall(r"error\[", got)) != mistakes:
        yield f"{file.name}: expected {mistakes} findings, got\n{got}"
    if not FRONT.match(got):
        yield f"{file.name}: does not begin with a place and an id:\n{got}"


with tempfile.TemporaryDirectory(prefix="mortise_bad_runs_") as name:
    folder = pathlib.Path(name).resolve() / "work"
    shutil.copytree(FIXTURES, folder, ignore=shutil.ignore_patterns("*.expected"))
    files = sorted(FIXTURES.glob("*.yaml"))
    before = sorted(path.name for path in folder.iterdir())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda file: list(problems_of(file, folder)), files)
        problems = [problem for problems in found for problem in problems]
    left = sorted(path.name for path in folder.iterdir() if path.name != ".cache")
    if left != before:
        problems.append(f"something was left behind: {set(left) - set(before)}")
if len(files) < 60:
    problems.append(f"expected at least 60 files, found {len(files)}")
print(f"{len(files)} files")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
