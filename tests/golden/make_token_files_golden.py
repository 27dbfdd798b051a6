"""Makes the golden token files, each by the program whose format it is.

    python3 -m venv V && V/bin/pip install modalities==0.5.0 'torch>=2.10,<2.11' 'transformers>=4.57.4,<5'
    V/bin/pip install --no-deps megatron-core==0.16.1
    V/bin/python make_token_files_golden.py      # writes into token_files/

All files hold the documents of DOCUMENTS. versions.txt says what has written them.

modalities_N.pbin                    TokenizedFileWriter of Modalities, N bytes a token
megatron.bin, megatron.idx           IndexedDatasetBuilder of Megatron-LM, uint16, a document a sequence
megatron_split.bin, megatron_split.idx   the same, int32, documents 0 and 1 as one of two sequences
numpy_T.npy                          numpy.save of an array of type T
nanogpt.bin                          ndarray.tofile of uint16, as nanoGPT's prepare.py does
llm_c_2.bin, llm_c_4.bin             the 256 numbers of llm.c's header, then tokens
indices.txt                          documents, kind, bytes and CRC-32 of large indices of Modalities' writer,
                                     of lengths as in make_pbin_golden.py
"""

import importlib.metadata
import io
import sys
import warnings
import zlib
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
import torch  # noqa: E402
from megatron.core.datasets.indexed_dataset import IndexedDatasetBuilder  # noqa: E402
from modalities.dataloader.preprocessing.tokenization.tokenized_file_writer import TokenizedFileWriter  # noqa: E402

FOLDER = Path(__file__).parent / "token_files"
DOCUMENTS = [[97, 97, 256], [98, 256], [256], [99] * 300 + [256]]
SMALL = [[i % 256 for i in document] for document in DOCUMENTS]


def modalities(name, documents, width):
    arrays = [np.array(document, dtype=np.uint32) for document in documents]
    TokenizedFileWriter.write_tokenized_dataset(arrays, FOLDER / name, token_size_in_bytes=width)


def megatron(name, dtype, documents):
    builder = IndexedDatasetBuilder(str(FOLDER / f"{name}.bin"), dtype=dtype)
    for sequences in documents:
        tokens = [token for sequence in sequences for token in sequence]
        builder.add_document(torch.tensor(tokens), [len(sequence) for sequence in sequences])
    builder.finalize(str(FOLDER / f"{name}.idx"))


def llm_c(name, magic, version, dtype, tokens):
    header = np.zeros(256, dtype=np.int32)
    header[:3] = magic, version, len(tokens)
    (FOLDER / name).write_bytes(header.tobytes() + np.array(tokens, dtype=dtype).tobytes())


def indices():
    rows = []
    for count in (1000, 70_000, 300_001):
        index, offset = [], 0
        for i in range(count):
            length = i * 7919 % 500 + 1
            index.append((offset, length))
            offset += length
        out = io.BytesIO()
        TokenizedFileWriter._write_index_segment(out, index)
        rows.append(f"{count} short {len(out.getvalue())} {zlib.crc32(out.getvalue())}")
    (FOLDER / "indices.txt").write_text("\n".join(rows) + "\n")


def main():
    FOLDER.mkdir(exist_ok=True)
    flat = [token for document in DOCUMENTS for token in document]
    modalities("modalities_1.pbin", SMALL, 1)
    modalities("modalities_2.pbin", DOCUMENTS, 2)
    modalities("modalities_4.pbin", DOCUMENTS, 4)
    megatron("megatron", np.uint16, [[document] for document in DOCUMENTS])
    megatron("megatron_split", np.int32, [DOCUMENTS[:2], DOCUMENTS[2:3], DOCUMENTS[3:]])
    for type_ in ("u1", "u2", "i4", "u4", "i8"):
        numbers = [token % 256 for token in flat] if type_ == "u1" else flat
        np.save(FOLDER / f"numpy_{type_}.npy", np.array(numbers, dtype=f"<{type_}"))
    np.array(flat, dtype=np.uint16).tofile(FOLDER / "nanogpt.bin")
    llm_c("llm_c_2.bin", 20240520, 1, np.uint16, flat)
    llm_c("llm_c_4.bin", 20240801, 7, np.uint32, flat)
    indices()
    names = ("modalities", "megatron-core", "numpy", "torch")
    versions = [f"{name} {importlib.metadata.version(name)}" for name in names]
    (FOLDER / "versions.txt").write_text("\n".join([f"python {sys.version.split()[0]}"] + versions) + "\n")


main()
