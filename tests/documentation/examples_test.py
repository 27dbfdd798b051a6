"""Every YAML and every command of the pages works: examples_test.py PROGRAM SOURCE BUILD

Blocks of YAML and pieces of it in running text pass `mortise check`; one that is no whole run file
is laid over a small whole one. Blocks of commands run line by line, each in a fresh folder with tiny
data, a run that was stopped and one that has ended; those of ELSEWHERE only have their paths looked
at. Options of commands in running text must be there.
"""

import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from pages import Block, blocks, fail, pages

PROGRAM, SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])

# Commands that do not run here, and why.
ELSEWHERE = {
    r"packaging/(quickstart|test|build)\.sh": "installs, builds and trains for minutes",
    r"packaging/test\.sh --sanitize": "builds everything again",
    r"cmake --build build/release --target reference": "writes into the source; reference_test compares",
    r"cmake ": "outside_plugin_test installs, builds and loads",
    r"ctest ": "this is a test",
    r"torchrun |export MASTER_ADDR|srun |mpirun ": "needs torchrun, Slurm or MPI; layouts_test and launchers_test set their variables",
}
# Pages that a test of their own follows from top to bottom.
FOLLOWED = {"first_plugin.md"}
# What a reader puts in.
PLACEHOLDERS = {"NAME": "run", "FILE": "mortise_cooldown.so"}

FIRST_WORDS = ("mortise ", "cmake ", "ctest ", "torchrun ", "mpirun ", "packaging/", "build/", "export ", "if [")
SECTIONS = set(re.findall(r'^  "(\w+)": \{', (SOURCE / "host/config/run_schema.cpp").read_text(), re.M))

BASE = """\
mortise: 1
run:       {steps: 4, seed: 7}
batch:     {sequences: 4, sequence_length: 32}
tokenizer: byte
data:      {train: {use: text, files: shakespeare.txt}}
model:     {use: llama, width: 32, layers: 2, heads: 4}
optimizer: {use: adamw, learning_rate: 1e-3}
eval:      {hold_out: 5%, every: 50, tokens: 64}
"""

ENVIRONMENT = {"PATH": f"{BUILD / 'bin'}:/usr/local/bin:/usr/bin:/bin", "OMP_NUM_THREADS": "1",
               "MORTISE_PLUGIN_PATH": "", "LC_ALL": "C.UTF-8"}

# The plugin of sdk/README.md.
SHOWN_PLUGIN = BUILD / "tests/plugins/mortise_warmup_example.so"


def run(command, folder):
    environment = {**ENVIRONMENT, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    return subprocess.run(command, shell=isinstance(command, str), cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


def make_template(folder):
    """A folder in which the examples make sense."""
    text = (SOURCE / "configs/shakespeare/shakespeare.txt").read_text()[:40000]
    (folder / "books").mkdir()
    shutil.copy(SOURCE / "tests/tokenizers/models/botchan_en_bpe_1000.model", folder / "tokenizer.model")
    shutil.copy(SOURCE / "tests/tokenizers/models/gpt2.tiktoken", folder)
    (folder / "gpt2").mkdir()
    shutil.copy(SOURCE / "tests/tokenizers/models/gpt2_tokenizer.json", folder / "gpt2/tokenizer.json")
    (folder / "folder").mkdir()
    for name in ("shakespeare.txt", "a.txt", "books/one.txt", "books/two.txt"):
        (folder / name).write_text(text)
    (folder / "web").mkdir()
    (folder / "web.jsonl").write_text(json.dumps({"text": text}) + "\n")
    (folder / "web/one.jsonl.gz").write_bytes(gzip.compress(json.dumps({"text": text}).encode()))
    (folder / "dump.jsonl.gz").write_bytes(gzip.compress(json.dumps({"title": "A title", "body": text}).encode()))
    (folder / "base.yaml").write_text(BASE)
    (folder / "run.yaml").write_text(BASE)
    for place in (".", "build/lib/mortise/plugins"):
        (folder / place).mkdir(parents=True, exist_ok=True)
        shutil.copy(BUILD / "tests/plugins/mortise_cooldown.so", folder / place)
    texts = ["books/one.txt", "books/two.txt", "shakespeare.txt", "a.txt"]
    done = run(["mortise", "data", "pack", *texts, "--tokenizer", "byte", "-o", "train.pbin"], folder)
    if done.returncode != 0:
        sys.exit(f"data pack of the template failed: {done.stderr}")
    for part in ("part.1", "part.2"):
        shutil.copy(folder / "train.pbin", folder / f"{part}.pbin")
        shutil.copy(folder / "train.pbin.json", folder / f"{part}.pbin.json")
    for name, steps in (("run", 2), ("shakespeare", 2)):
        done = run(["mortise", "run", "run.yaml", "--set", f"run.name={name}", "--set", f"run.steps={steps}"], folder)
        if done.returncode != 0:
            sys.exit(f"a run of the template failed: {done.stderr}")
    (folder / "runs/NAME").mkdir(exist_ok=True)


class Folder:
    """A copy of the template for one example."""

    def __init__(self, template):
        self.holder = tempfile.TemporaryDirectory(prefix="mortise_examples_")
        self.path = pathlib.Path(self.holder.name) / "work"
        shutil.copytree(template, self.path)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        self.holder.cleanup()


def as_run_file(text):
    return text if re.search(r"^mortise:", text, re.M) else "include: base.yaml\n" + text


def check_yaml(template, place, text):
    with Folder(template) as folder:
        (folder / "example.yaml").write_text(as_run_file(text))
        done = run(["mortise", "check", "example.yaml", "--plugin", str(SHOWN_PLUGIN)], folder)
        return [f"{place}: does not pass mortise check:\n{text}{done.stderr}"] if done.returncode else []


def commands(block):
    """Logical lines of a block of commands; a script with `if` is one."""
    if block.text.startswith("if ["):
        return [block.text]
    lines = re.sub(r"\\\n\s*", " ", block.text).splitlines()
    return [re.sub(r"\s+# .*$", "", line) for line in lines if line.strip() and not line.startswith("#")]


def problems_of_paths(place, command):
    words = re.findall(r"(?:packaging|configs|docs|tests|sdk)/[\w./-]+", command)
    return [f"{place}: there is no {word}" for word in words if not (SOURCE / word).exists()]


def check_command(template, place, command):
    if any(re.match(pattern, command) for pattern in ELSEWHERE):
        return problems_of_paths(place, command)
    if not command.startswith(FIRST_WORDS):
        return [f"{place}: is no command: {command!r}; what is none belongs behind a # or into a block of its own"]
    for word, value in PLACEHOLDERS.items():
        command = re.sub(rf"\b{word}\b", value, command)
    with Folder(template) as folder:
        if command.startswith("mortise run"):
            shutil.rmtree(folder / "runs/run")
        if "--resume" in command:  # a run of this folder, whose files its settings name
            run(["mortise", "run", "run.yaml", "--set", "run.steps=2"], folder)
        done = run(command, folder)
        return [f"{place}: `{command}` ended with {done.returncode}:\n{done.stderr}"] if done.returncode else []


def help_of(words, known={}):
    """What --help of the longest command that `words` begin with says; None: there is no such command."""
    for count in (2, 1):
        key = " ".join(words[:count])
        if len(words) >= count and key not in known:
            done = run(["mortise", *words[:count], "--help"], SOURCE)
            known[key] = done.stdout if done.returncode == 0 else None
        if known.get(key):
            return known[key]
    return None


def check_mentioned(place, span):
    words = span.split()[1:]
    if not words or not re.fullmatch(r"[a-z]+", words[0]):
        return []
    text = help_of([word for word in words[:2] if re.fullmatch(r"[a-z]+", word)])
    if text is None:
        return [f"{place}: there is no command `{span}`"]
    options = [word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    return [f"{place}: `{span}`: there is no option {option}" for option in options
            if not re.search(rf"(?<![\w-]){option}\b", text)]


def examples():
    """Everything to check: (function, place, text)."""
    for page in pages(SOURCE):
        if page.name in FOLLOWED:
            continue
        fenced = blocks(page)
        for block in fenced:
            if block.language == "yaml":
                yield check_yaml, block.place(), block.text
            elif block.language in ("", "sh", "bash") and block.text.startswith(FIRST_WORDS):
                for command in commands(block):
                    yield check_command, block.place(), command
        prose = re.sub(r"(?ms)^```.*?^```$", lambda found: re.sub(r"[^\n]", "", found[0]), page.read_text())
        for number, line in enumerate(prose.split("\n"), 1):
            for span in re.findall(r"`([^`]+)`", line):
                place = f"{page.name}:{number}"
                if span.startswith("mortise "):
                    yield (lambda _, place, span: check_mentioned(place, span)), place, span
                elif re.match(rf"({'|'.join(SECTIONS)}): [{{\[]", span) and "…" not in span:
                    yield check_yaml, place, span + "\n"


with tempfile.TemporaryDirectory(prefix="mortise_template_") as name:
    template = pathlib.Path(name)
    make_template(template)
    all_examples = list(dict.fromkeys(examples()))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda one: one[0](template, *one[1:]), all_examples)
        problems = [problem for problems in found for problem in problems]
kinds = [sum(function is kind for function, *_ in all_examples) for kind in (check_yaml, check_command)]
print(f"{kinds[0]} pieces of YAML, {kinds[1]} commands, {len(all_examples) - sum(kinds)} mentions")
if kinds[0] < 10 or kinds[1] < 20:
    problems.append("fewer examples than there were: are they still found?")
fail(problems)
