"""Packed files and Modalities: the same bytes, the same documents, the same samples in training.

usage: modalities_test.py MORTISE DATASET_SAMPLES
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import torch
from modalities.dataloader.dataloader import LLMDataLoader
from modalities.dataloader.dataset import PackedMemMapDatasetBase, PackedMemMapDatasetContinuous
from modalities.dataloader.preprocessing.tokenization.tokenized_file_writer import TokenizedFileWriter
from modalities.models.gpt2.collator import GPT2LLMCollateFn
from torch.utils.data import BatchSampler, SequentialSampler

MORTISE, DATASET_SAMPLES = sys.argv[1:]
END = 256  # of a document, of the tokenizer `byte`


def mortise(folder, *arguments):
    subprocess.run([MORTISE, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def our_samples(path, sequence_length):
    done = subprocess.run([DATASET_SAMPLES, path, str(sequence_length)], check=True, capture_output=True, text=True)
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def their_samples(path, sequence_length):
    """What Modalities' loader hands to training: inputs and, one further, targets."""
    data = PackedMemMapDatasetContinuous(path, sample_key="x", block_size=sequence_length + 1, reuse_last_target=True)
    loader = LLMDataLoader("train", dataset=data, num_workers=0,
                           batch_sampler=BatchSampler(SequentialSampler(data), batch_size=3, drop_last=False),
                           collate_fn=GPT2LLMCollateFn("x", "y"))
    samples = []
    for batch in loader:
        for inputs, targets in zip(batch.samples["x"], batch.targets["y"]):
            assert torch.equal(inputs[1:], targets[:-1])
            samples.append(inputs.tolist() + [int(targets[-1])])
    return samples


def their_documents(path):
    data = PackedMemMapDatasetBase(path, sample_key="x")
    return [data[i]["x"].tolist() for i in range(len(data))]


def write_theirs(path, documents, width):
    TokenizedFileWriter.write_tokenized_dataset([np.array(d, dtype=np.uint32) for d in documents], path,
                                                token_size_in_bytes=width)


def check_same(what, path, documents):
    """A file of ours that Modalities reads, and trains on, as we do."""
    assert their_documents(path) == documents, what
    for sequence_length in (1, 7, 256):
        ours, theirs = our_samples(path, sequence_length), their_samples(path, sequence_length)
        assert ours == theirs and len(ours) > 10, f"{what}: samples of {sequence_length} differ"
    print(f"{what}: {len(documents)} documents, {len(ours)} samples of 256 are the same")


def main(folder):
    draw = random.Random(5)
    texts = ["".join(draw.choices("abcdefgh äß😀\n", k=draw.randrange(0, 300))) for _ in range(5000)]
    documents = [list(text.encode()) + [END] for text in texts]
    (folder / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    mortise(folder, "data", "pack", "a.jsonl", "--tokenizer", "byte", "-o", "ours.pbin")
    write_theirs(folder / "theirs.pbin", documents, 2)
    assert (folder / "ours.pbin").read_bytes() == (folder / "theirs.pbin").read_bytes()
    print(f"data pack: the {(folder / 'ours.pbin').stat().st_size} bytes are those of Modalities' writer")
    check_same("data pack", folder / "ours.pbin", documents)

    write_theirs(folder / "wide.pbin", documents, 4)
    mortise(folder, "data", "merge", "theirs.pbin", "wide.pbin", "--eod", str(END), "-o", "merged.pbin")
    check_same("data merge of their files", folder / "merged.pbin", documents + documents)

    mortise(folder, "data", "shuffle", "ours.pbin", "--seed", "3", "-o", "shuffled.pbin")
    shuffled = their_documents(folder / "shuffled.pbin")
    assert sorted(shuffled) == sorted(documents) and shuffled != documents
    check_same("data shuffle", folder / "shuffled.pbin", shuffled)

    mortise(folder, "data", "chunk", "ours.pbin", "--parts", "3", "-o", "part.pbin")
    parts = [their_documents(folder / f"part.0000{i}-of-00003.pbin") for i in (1, 2, 3)]
    assert sum(parts, []) == documents
    mortise(folder, "data", "filter", "ours.pbin", "--min-tokens", "100", "-o", "kept.pbin")
    check_same("data filter", folder / "kept.pbin", [d for d in documents if len(d) >= 100])

    mortise(folder, "data", "convert", "ours.pbin", "-o", "there.idx")
    mortise(folder, "data", "convert", "there.idx", "-o", "back.pbin")
    assert (folder / "back.pbin").read_bytes() == (folder / "theirs.pbin").read_bytes()
    print("data convert: to Megatron's files and back, the same bytes")


with tempfile.TemporaryDirectory(prefix="mortise_modalities_") as name:
    main(pathlib.Path(name))
