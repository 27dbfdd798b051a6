"""Texts on which tokenizers are compared."""
import json
import pathlib
import random
import sys
import unicodedata

VECTORS = pathlib.Path(__file__).resolve().parent / "vectors"


def vector_texts(name):
    """llama.cpp's texts for the vocabulary `name`."""
    text = (VECTORS / f"ggml-vocab-{name}.gguf.inp").read_bytes().decode()
    texts = text.split("\n__ggml_vocab_test__\n")
    return texts[:-1] if texts[-1] == "" else texts


def vector_ids(name):
    lines = (VECTORS / f"ggml-vocab-{name}.gguf.out").read_text().split("\n")
    return [[int(word) for word in line.split()] for line in lines[: len(vector_texts(name))]]


def documents(file):
    with open(file, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield json.loads(line)["text"]


def random_texts(count, special=(), seed=20):
    """Strings of characters of every category, of stretches of one kind, and of what tokenizers look for."""
    rng = random.Random(seed)
    of_category = {}
    for code in range(sys.maxunicode + 1):
        if not 0xD800 <= code < 0xE000:
            of_category.setdefault(unicodedata.category(chr(code)), []).append(chr(code))
    kinds = list(of_category.values())
    words = ["'s", "'ll", "'RE", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "123", "\u0661", "a", "The", "\u2581",
             "\u0301", "\u200d", "\ufe0f", "\U0001f468\u200d\U0001f469", "<0x0A>", "/", "...", "\ufffd", *special]

    def part():
        choice = rng.random()
        if choice < 0.35:
            return rng.choice(words)
        if choice < 0.55:
            kind = rng.choice(kinds)
            return "".join(rng.choice(kind) for _ in range(rng.randint(1, 6)))
        if choice < 0.75:
            return "".join(chr(rng.randint(32, 126)) for _ in range(rng.randint(1, 8)))
        if choice < 0.9:
            first = rng.choice((0xC0, 0x370, 0x400, 0x590, 0x600, 0x900, 0xE00, 0x3040, 0x4E00, 0xAC00, 0x1F600))
            return "".join(chr(first + rng.randint(0, 90)) for _ in range(rng.randint(1, 6)))
        return rng.choice(rng.choice(kinds)) * rng.randint(2, 40)

    every = [letter for kind in kinds for letter in rng.sample(kind, min(20, len(kind)))]
    for i in range(count):
        yield every[i] if i < len(every) else "".join(part() for _ in range(rng.randint(1, 12)))


def broken_bytes(count, seed=21):
    """Bytes that are not UTF-8: text with bytes put in, taken out or turned, and bytes alone."""
    rng = random.Random(seed)
    for i, text in enumerate(random_texts(count, seed=seed + 1)):
        data = bytearray(text.encode())
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data) + 1)
            choice = rng.random()
            if choice < 0.4:
                data[at:at] = bytes(rng.randrange(128, 256) for _ in range(rng.randint(1, 3)))
            elif choice < 0.7 and at < len(data):
                del data[at]
            elif at < len(data):
                data[at] = rng.randrange(256)
        yield bytes(data) if i % 10 else bytes(rng.randrange(256) for _ in range(rng.randint(1, 20)))
