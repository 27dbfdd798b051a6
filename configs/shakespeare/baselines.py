#!/usr/bin/env python3
"""Losses of two models that need no training, in nats per byte: what a trained one has to beat.

usage: baselines.py TEXT HOLD_OUT_PERCENT

Counts bytes and pairs of bytes (add-one smoothing) in the first part of TEXT and prints
"UNIGRAM BIGRAM", their cross-entropies on the held-out tail.
"""
import collections
import math
import sys


def main(path: str, percent: float) -> None:
    data = open(path, "rb").read()
    cut = len(data) - round(len(data) * percent / 100)
    train, held_out = data[:cut], data[cut:]
    single = collections.Counter(train)
    pairs = collections.Counter(zip(train, train[1:]))
    firsts = collections.Counter(train[:-1])
    unigram = -sum(math.log((single[b] + 1) / (len(train) + 256)) for b in held_out) / len(held_out)
    bigram = -sum(
        math.log((pairs[a, b] + 1) / (firsts[a] + 256)) for a, b in zip(held_out, held_out[1:])
    ) / (len(held_out) - 1)
    print(f"{unigram:.3f} {bigram:.3f}")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
