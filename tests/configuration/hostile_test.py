"""Hostile run files are refused within bounds of memory and time: hostile_test.py PROGRAM

The peak memory of `mortise check` with each file may be at most LIMIT above that with a small bad
file (docs/configuration.md). The deadline only catches a program that hangs.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
LIMIT = 256 << 20
DEADLINE_S = 30
MIB = 1 << 20

PLAIN = "mortise: 1\nrun: {stepps: 10}\n"


def in_model(text):
    return "mortise: 1\nmodel: " + text + "\n"


def blocks(levels):
    return "mortise: 1\nmodel:\n" + "".join(" " * (level + 1) + "a:\n" for level in range(levels))


def billion_laughs(width, levels):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]")
    return "\n".join(lines) + "\n"


# name: (text, what its message says)
FILES = {
    **{f"{n} times [": (in_model("[" * n + "]" * n), "deep") for n in (400, 2000, 100_000)},
    **{f"{n} times [, never closed": (in_model("[" * n), "bracket not closed") for n in (2000, 1_000_000)},
    **{f"{n} times {{a: ": (in_model("{a: " * n + "}" * n), "deep") for n in (400, 2000, 100_000)},
    "3,000 levels of blocks": (blocks(3000), "deep"),
    "3,000 levels of lists in blocks": ("mortise: 1\nmodel:\n  " + "- " * 3000 + "a\n", "deep"),
    "100,000 times ? ": (in_model("? " * 100_000), None),
    "an alias bomb": (billion_laughs(10, 12), "too many values"),
    "an alias bomb of texts": (f"a: &a {'x' * MIB}\nb: [{', '.join(['*a'] * 100)}]\n", "too many values"),
    "an alias bomb in a component": (in_model("{use: llama, " + "a: &a [1, 2, 3], " + ", ".join(
        f"k{i}: [*a, *a, *a]" for i in range(20_000)) + "}"), "too many values"),
    "a text of 4 MiB": (in_model('"' + "x" * (4 * MIB) + '"'), "no model"),
    "a text of more than 4 MiB": (in_model('"' + "x" * (4 * MIB + 1) + '"'), "longer than 4 MiB"),
    "a bare text of 15 MiB": (in_model("x" * (15 * MIB)), "longer than 4 MiB"),
    "a block text of 15 MiB": (in_model("|\n" + "  xxxxxxxxxxxxx\n" * MIB)[: 15 * MIB], "longer than 4 MiB"),
    "a key of 4 MiB": ("k" * (4 * MIB) + ": 1\n", None),
    "an explicit key of 4 MiB": ("? " + "k" * (4 * MIB - 1) + "\n: 1\n", "unknown section"),
    "a ref of 4 MiB": ("mortise: 1\nmodel: {ref: '" + "x" * (4 * MIB) + "'}\n", "nothing stands at"),
    "a million keys": ("".join(f"k{i}: 1\n" for i in range(1_000_000)), "too many values"),
    "a million list elements": (in_model("[" + "1," * 1_000_000 + "]"), "too many values"),
    "ninety thousand unknown keys": ("".join(f"k{i}: 1\n" for i in range(90_000)), "unknown section"),
    "ninety thousand unknown settings": (in_model("{use: llama, " + ", ".join(
        f"k{i}: 1" for i in range(90_000)) + "}"), "unknown setting"),
    "ninety thousand sinks": ("mortise: 1\nlog: {sinks: [" + "jsonl, " * 90_000 + "]}\n", None),
    "a file of 64 MiB": (b"#" * (64 * MIB), "larger than 16 MiB"),
    "a line of 16 MiB": ("# " + "x" * (16 * MIB - 200) + "\n" + PLAIN, "did you mean steps"),
    "sixteen million line ends": ("\n" * (16 * MIB - 200) + PLAIN, "did you mean steps"),
    "NULs": (in_model("\0" * 1000), "NUL"),
    "a MiB of NULs": ("\0" * MIB, "NUL"),
    "random bytes": (os.urandom(MIB), None),
    "a hundred thousand anchors": (in_model("[" + ", ".join(f"&a{i} 1" for i in range(49_000)) + "]"), None),
    "a hundred thousand quotes": ("'" * 200_000, None),
    "a hundred thousand documents": ("---\n" * 100_000, None),
    "a hundred thousand interpolations": (in_model("{use: llama, width: [" + '"${run.steps}", ' * 40_000 + "]}"), None),
    "an interpolation bomb": ("mortise: 1\nrun: {name: '" + "x" * 1000 + "'}\n" + "".join(
        f"k{i}: '" + "${k%d}" % (i - 1) * 100 + "'\n" for i in range(1, 9)).replace("${k0}", "${run.name}"), None),
}


# Starts a program from a process that is small itself: what forks a child counts as its peak too.
MEASURE = f"""
import os, signal, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
signal.alarm({DEADLINE_S})
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024)
"""


def check(folder, text):
    """Exit code (negative: it had to be killed), what it said, peak memory in bytes."""
    (folder / "run.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    done = subprocess.run([sys.executable, "-c", MEASURE, str(PROGRAM), "check", "run.yaml"], cwd=folder,
                          stdin=subprocess.DEVNULL, capture_output=True, check=True)
    code, peak = map(int, done.stdout.split()[-2:])
    return code, done.stderr.decode("utf-8", "replace"), peak


problems = []
with tempfile.TemporaryDirectory(prefix="mortise_hostile_") as name:
    folder = pathlib.Path(name)
    _, _, ordinary = check(folder, PLAIN)
    worst = 0
    for name, (text, word) in FILES.items():
        code, said, peak = check(folder, text)
        over = peak - ordinary
        worst = max(worst, over)
        print(f"{name}: exit {code}, {over / MIB:+.0f} MiB: {said[:90]!r}")
        if code < 0:
            problems.append(f"{name}: had not ended after {DEADLINE_S} s")
            continue
        if code != 2 or not re.search(r"error\[C\d{4}\]: ", said):
            problems.append(f"{name}: ended with {code}: {said[:300]!r}")
        if word and word not in said:
            problems.append(f"{name}: does not say {word!r}: {said[:300]!r}")
        if len(said) > MIB // 4:
            problems.append(f"{name}: says {len(said)} bytes")
        if over > LIMIT:
            problems.append(f"{name}: took {over / MIB:.0f} MiB more than a small file, at most {LIMIT / MIB:.0f} are allowed")
print(f"{len(FILES)} files; an ordinary one takes {ordinary / MIB:.0f} MiB, the worst {worst / MIB:.0f} MiB more")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
