#!/usr/bin/env python3
"""Encodes a corpus with Mortise, Hugging Face's tokenizers and tiktoken, turn by turn, one thread each.

usage: encode.py BENCH TOKENIZER.json CORPUS.jsonl [--tiktoken RANKS PATTERN] [--rounds 5]

BENCH is the program encode_bench. Python needs tokenizers and tiktoken (tests/requirements of the
exactness harness). Every round makes all three anew for `cold` and encodes again for `warm`; the
ratios are those of the medians. Before that, the ids of every document are compared.
"""
import argparse
import base64
import json
import os
import statistics
import struct
import subprocess
import tempfile
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from tokenizers import Tokenizer  # noqa: E402  (reads the environment)

PATTERNS = {
    "gpt2": r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s""",
    "cl100k": r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s""",
    "qwen": r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+""",
}


class Mortise:
    def __init__(self, bench, tokenizer, corpus):
        self.process = subprocess.Popen([bench, "huggingface", "huggingface", "file", tokenizer, corpus],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"encode_bench ended: {self.process.wait()}")
        return answer.split()

    def ids(self):
        with tempfile.NamedTemporaryFile() as file:
            self.ask(f"ids {file.name}")
            data = file.read()
        at, documents = 0, []
        while at != len(data):
            (count,) = struct.unpack_from("<I", data, at)
            documents.append(list(struct.unpack_from(f"<{count}I", data, at + 4)))
            at += 4 + 4 * count
        return documents

    def fresh(self):
        self.ask("fresh")

    def seconds(self):
        return float(self.ask("time")[0])


class Timed:
    """A reference: `make` gives what encodes a list of texts."""

    def __init__(self, make, texts):
        self.make, self.texts = make, texts
        self.fresh()

    def fresh(self):
        self.encode = self.make()

    def seconds(self):
        begin = time.perf_counter()
        self.encode(self.texts)
        return time.perf_counter() - begin


def hugging_face(path):
    tokenizer = Tokenizer.from_file(path)
    return lambda texts: tokenizer.encode_batch(texts, add_special_tokens=False)


def tiktoken_of(ranks, pattern):
    import tiktoken

    with open(ranks, "rb") as file:
        table = {base64.b64decode(t): int(r) for t, r in (line.split() for line in file if line.strip())}
    encoding = tiktoken.Encoding("bench", pat_str=PATTERNS[pattern], mergeable_ranks=table, special_tokens={})
    return lambda texts: [encoding.encode_ordinary(text) for text in texts]


def different(ours, texts, tokenizer):
    reference = Tokenizer.from_file(tokenizer)
    return sum(ours[i] != reference.encode(text, add_special_tokens=False).ids for i, text in enumerate(texts))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("tokenizer")
    parser.add_argument("corpus")
    parser.add_argument("--tiktoken", nargs=2, metavar=("RANKS", "PATTERN"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=float, help="of the corpus, from its beginning")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--only-ids", action="store_true")
    what.add_argument("--only-times", action="store_true")
    options = parser.parse_args()

    texts, size = [], 0
    with open(options.corpus, encoding="utf-8") as file, tempfile.NamedTemporaryFile("w", encoding="utf-8") as part:
        for line in file:
            if options.megabytes and size >= 1e6 * options.megabytes:
                break
            texts.append(json.loads(line)["text"])
            size += len(texts[-1].encode())
            part.write(line)
        part.flush()
        ours = Mortise(options.bench, options.tokenizer, part.name)
        ours.seconds()  # it has read the file
    if not options.only_times:
        print(f"documents with other ids: {different(ours.ids(), texts, options.tokenizer)} of {len(texts)}")
    if options.only_ids:
        return
    runs = {"mortise": ours, "tokenizers": Timed(lambda: hugging_face(options.tokenizer), texts)}
    if options.tiktoken:
        runs["tiktoken"] = Timed(lambda: tiktoken_of(*options.tiktoken), texts)
    took = {(name, state): [] for name in runs for state in ("cold", "warm")}
    for _ in range(options.rounds):
        for name, run in runs.items():
            run.fresh()
            for state in ("cold", "warm"):
                took[name, state].append(run.seconds())
    for state in ("cold", "warm"):
        rates = {name: size / 1e6 / statistics.median(took[name, state]) for name in runs}
        line = ", ".join(f"{name} {rate:.1f} MB/s" for name, rate in rates.items())
        ratios = ", ".join(f"{rates['mortise'] / rates[name]:.1f} x {name}" for name in runs if name != "mortise")
        print(f"{state}: {line}: {ratios}")


main()
