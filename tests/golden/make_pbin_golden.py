"""Makes the golden files of the packed token format with Python's own struct and pickle.

    python3 make_pbin_golden.py      # writes into pbin/

four_documents.pbin  a whole file, laid out as Modalities writes it: header, tokens, pickled index
indices.txt          for indices that are too large to keep: documents, kind, bytes, CRC-32
"""

import pickle
import struct
import zlib
from pathlib import Path

FOLDER = Path(__file__).parent / "pbin"


def packed(documents, width):
    code = {1: "B", 2: "H", 4: "I"}[width]
    data, index = b"", []
    for tokens in documents:
        part = struct.pack(f"<{len(tokens)}{code}", *tokens)
        index.append((len(data), len(part)))
        data += part
    return struct.pack("<QI", len(data), width) + data + pickle.dumps(index, protocol=4)


def index_of(lengths):
    index, offset = [], 0
    for length in lengths:
        index.append((offset, length))
        offset += length
    return pickle.dumps(index, protocol=4)


def lengths(kind, count):
    """Short documents, or long ones whose offsets pass 2^31 and 2^32."""
    if kind == "short":
        return [i * 7919 % 500 + 1 for i in range(count)]
    return [i * 7919 % 500 + (1 << 28) for i in range(count)]


def main():
    documents = [[97, 97, 256], [98, 256], [256], [99] * 300 + [256]]
    (FOLDER / "four_documents.pbin").write_bytes(packed(documents, 2))
    rows = [(n, "short") for n in (0, 1, 2, 3, 999, 1000, 1001, 2001, 8000, 50001)]
    rows += [(n, "long") for n in (1, 8, 9, 20, 6000)]
    with open(FOLDER / "indices.txt", "w") as out:
        for count, kind in rows:
            data = index_of(lengths(kind, count))
            out.write(f"{count} {kind} {len(data)} {zlib.crc32(data)}\n")


main()
