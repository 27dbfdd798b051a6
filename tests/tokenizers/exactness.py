#!/usr/bin/env python3
"""Compares ids and decoded text of our tokenizers with the libraries whose files they read.

usage: $(packaging/test_python.sh tests/tokenizers/requirements.txt) tests/tokenizers/exactness.py TOKENIZER_IDS FOLDER [options]

FOLDER is what make_tokenizers.py wrote. Prints a line for each tokenizer and set of texts: texts, bytes,
texts with other ids, texts decoded otherwise, and texts with other ids for a reason that is named:
  - SentencePiece: Debian's, 0.1.97, which we use, adds up the scores of Unigram models in another order than the reference;
  - Unigram of tokenizers: two ways to cut a text have the same score, and serde_json, which reads the scores there, does not
    round all of them to the nearest double: the same tokens in another order;
  - patterns that PCRE2 runs: a character that its Unicode 14.0, which is also that of Python 3.11, does not know.
Exit code 1 if there is a difference of another kind.
"""
import argparse
import base64
import json
import os
import pathlib
import struct
import subprocess
import sys
import threading
import unicodedata

os.environ["TOKENIZERS_PARALLELISM"] = "true"
import sentencepiece  # noqa: E402
import tiktoken  # noqa: E402
import tiktoken_ext.openai_public as openai  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402
from tokenizers.models import Unigram  # noqa: E402

import reference_texts  # noqa: E402
from make_tokenizers import CL100K, QWEN2, read_ranks  # noqa: E402

PATTERNS = {"gpt2": openai.r50k_pat_str, "qwen": QWEN2, "llama3": CL100K}
HERE = pathlib.Path(__file__).resolve().parent
PYTHON_OF_DEBIANS_VERSION = subprocess.run(
    [HERE.parents[1] / "packaging/test_python.sh", HERE / "requirements-debian.txt"],
    check=True, capture_output=True, text=True).stdout.strip()
BATCH = 256


def openai_pattern(name):
    """tiktoken's own, without its download of ranks."""
    load, openai.load_tiktoken_bpe = openai.load_tiktoken_bpe, lambda *_, **__: {}
    try:
        return openai.ENCODING_CONSTRUCTORS[name]()["pat_str"]
    finally:
        openai.load_tiktoken_bpe = load


def has_newer_character(text):
    assert unicodedata.unidata_version == "14.0.0"
    text = text if isinstance(text, str) else text.decode(errors="replace")
    return any(unicodedata.category(c) == "Cn" for c in text)


class Reference:
    def has_reason(self, text, got, expected):
        """Whether a difference is one of those that are named above."""
        return has_newer_character(text)


class HuggingFace(Reference):
    def __init__(self, file, settings):
        self.tokenizer = Tokenizer.from_file(file)
        self.special = [token.content for token in self.tokenizer.get_added_tokens_decoder().values()][:50]
        self.is_unigram = isinstance(self.tokenizer.model, Unigram)

    def encode(self, texts):
        return [e.ids for e in self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]

    def decode(self, lists):
        return self.tokenizer.decode_batch(lists, skip_special_tokens=True)

    def encode_bytes(self, lists):
        return self.encode([data.decode(errors="replace") for data in lists])

    def has_reason(self, text, got, expected):
        return sorted(got) == sorted(expected) if self.is_unigram else has_newer_character(text)


class SentencePiece(Reference):
    def __init__(self, file, settings):
        self.model = sentencepiece.SentencePieceProcessor(model_file=file)
        self.command = [PYTHON_OF_DEBIANS_VERSION, str(HERE / "sentencepiece_ids.py"), file]
        self.special = ["<s>", "</s>", "<unk>"]

    def encode(self, texts):
        return self.model.encode(texts)

    def decode(self, lists):
        return [self.model.decode(ids) for ids in lists]

    def encode_bytes(self, lists):
        return [self.model.encode(data) for data in lists]

    def has_reason(self, text, got, expected):
        return got == Ours(self.command, [text.encode() if isinstance(text, str) else text]).next()[0]


class TikToken(Reference):
    def __init__(self, file, settings):
        pattern = settings["pattern"]
        if pattern in openai.ENCODING_CONSTRUCTORS and pattern not in PATTERNS:
            pattern = openai_pattern(pattern)
        self.encoding = tiktoken.Encoding("t", pat_str=PATTERNS.get(pattern, pattern), special_tokens={},
                                          mergeable_ranks=read_ranks(pathlib.Path(file).read_bytes()))
        self.special = ["<|endoftext|>", "<|im_start|>"]

    def encode(self, texts):
        return self.encoding.encode_ordinary_batch(texts, num_threads=2)

    def decode(self, lists):
        return self.encoding.decode_batch(lists, num_threads=2)

    def encode_bytes(self, lists):
        return self.encode([data.decode(errors="replace") for data in lists])


REFERENCES = {"huggingface": HuggingFace, "sentencepiece": SentencePiece, "tiktoken": TikToken}


class Ours:
    """What the program tokenizer_ids answers for `texts`, in order."""

    def __init__(self, command, texts):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.writer = threading.Thread(target=self.write, args=(texts,))
        self.writer.start()

    def write(self, texts):
        try:
            for text in texts:
                self.process.stdin.write(struct.pack("<I", len(text)) + text)
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # the reader sees the end

    def read(self, size):
        data = self.process.stdout.read(size)
        if len(data) != size:
            sys.exit(f"tokenizer_ids ended: {self.process.wait()}")
        return data

    def number(self):
        return struct.unpack("<I", self.read(4))[0]

    def next(self):
        count = self.number()
        failed = count == 0xFFFFFFFF
        ids = None if failed else list(struct.unpack(f"<{count}I", self.read(4 * count)))
        return ids, self.read(self.number())


class Comparison:
    def __init__(self, name, texts):
        self.name, self.texts = name, texts
        self.ids, self.decoded, self.named = [], [], []  # differences

    def run(self, command, reference, is_text):
        raw = [text.encode() if is_text else text for text in self.texts]
        ours = Ours(command, raw)
        for at in range(0, len(raw), BATCH):
            part = self.texts[at:at + BATCH]
            expected = reference.encode(part) if is_text else reference.encode_bytes(part)
            decoded = reference.decode(expected) if is_text else [None] * len(part)
            for text, ids, back in zip(part, expected, decoded):
                got, got_back = ours.next()
                if got != ids:
                    named = got is not None and reference.has_reason(text, got, ids)
                    (self.named if named else self.ids).append((text, got if got is not None else got_back, ids))
                elif back is not None and got_back.decode(errors="replace") != back:
                    self.decoded.append((text, got_back, back))
        ours.writer.join()
        self.bytes = sum(map(len, raw))

    def report(self, row, shown):
        print(f"{row['kind']:14s}{row['name']:23s}{self.name:13s}{len(self.texts):7d}{self.bytes:11d}"
              f"{len(self.ids):6d}{len(self.decoded):6d}{len(self.named):8d}", flush=True)
        for what, found in (("ids", self.ids), ("decoded", self.decoded)):
            for text, got, expected in found[:shown]:
                print(f"    {what} of {ascii(text)[:200]}\n      got      {ascii(got)[:300]}\n      expected {ascii(expected)[:300]}")


def sets_of(row, reference, options):
    if row["vectors"]:
        yield "vectors", reference_texts.vector_texts(row["vectors"]), True
    yield "random", list(reference_texts.random_texts(options.count, reference.special)), True
    yield "broken", list(reference_texts.broken_bytes(options.count)), False
    for corpus in options.corpus:
        name, file = corpus.split("=", 1)
        yield name, list(reference_texts.documents(file)), True


def check_vectors(row, reference):
    """Whether the file is that model's: the library gives llama.cpp's ids."""
    texts, ids = reference_texts.vector_texts(row["vectors"]), reference_texts.vector_ids(row["vectors"])
    other = sum(a != b for a, b in zip(reference.encode(texts), ids))
    if other:
        print(f"    the library itself gives other ids than llama.cpp for {other} of {len(texts)} texts")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--corpus", action="append", default=[], metavar="NAME=FILE.jsonl")
    arguments.add_argument("--count", type=int, default=10_000, help="random texts, and as many of broken bytes")
    arguments.add_argument("--kind", action="append", choices=REFERENCES)
    arguments.add_argument("--only", action="append", metavar="NAME")
    arguments.add_argument("--shown", type=int, default=3, help="differences of each kind that are printed")
    options = arguments.parse_args()
    print(f"{'kind':14s}{'tokenizer':23s}{'texts':13s}{'texts':>7s}{'bytes':>11s}{'ids':>6s}{'text':>6s}{'named':>8s}   (differences)")
    different = 0
    for row in json.loads((options.folder / "matrix.json").read_text()):
        if (options.kind and row["kind"] not in options.kind) or (options.only and row["name"] not in options.only):
            continue
        file = str(options.folder / row["file"])
        reference = REFERENCES[row["kind"]](file, row["settings"])
        settings = [f"{key}={value}" for key, value in row["settings"].items()]
        if row["vectors"]:
            check_vectors(row, reference)
        for name, texts, is_text in sets_of(row, reference, options):
            comparison = Comparison(name, texts)
            comparison.run([options.program, row["kind"], row["kind"], f"file={file}", *settings], reference, is_text)
            comparison.report(row, options.shown)
            different += len(comparison.ids) + len(comparison.decoded)
    print(f"{different} differences")
    return min(different, 1)


if __name__ == "__main__":
    sys.exit(main())
