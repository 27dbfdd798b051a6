"""Ids of Debian's version of SentencePiece: sentencepiece_ids.py MODEL; input and output as in tokenizer_ids.cpp."""
import struct
import sys

import sentencepiece

model = sentencepiece.SentencePieceProcessor(model_file=sys.argv[1])
read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
while size := read(4):
    ids = model.encode(read(struct.unpack("<I", size)[0]))
    write(struct.pack(f"<I{len(ids)}II", len(ids), *ids, 0))
